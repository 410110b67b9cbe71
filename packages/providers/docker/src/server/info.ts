import type { Health } from '@stead/provider-kit'
import { isRestarted, type ServerInfo, type ServerState, type ServiceInfo, stateTable } from '@stead/provider-kit'
import { instant } from '@stead/world'
import type { Container } from '../engine/words.ts'
import { tagsIn } from './labels.ts'
import {
  cannotRun,
  endedForGood,
  hasRun,
  holderOf,
  isOfThisBoot,
  isShared,
  isUp,
  isWantedOn,
  type Known,
  mainOf,
  progressOf,
  time,
  type View,
} from './view.ts'

/** The words of Docker and of Podman for a container, for those that nobody made with us. */
export const states = stateTable({
  created: 'stopped',
  configured: 'stopped',
  initialized: 'stopped',
  running: 'running',
  paused: 'running',
  restarting: 'pending',
  removing: 'terminating',
  stopping: 'stopping',
  stopped: 'stopped',
  exited: 'stopped',
  dead: 'stopped',
})

export interface Live extends Known {
  readonly address: string
  /** How far it is, in words: what is being pulled. */
  readonly progress: string | undefined
  healthOf(service: string): { readonly health: Health | undefined; readonly problem: string | undefined }
}

export function serverInfo(view: View, live: Live): ServerInfo {
  const state = stateOf(view, live)
  const isOn = state === 'running' || state === 'stopping'
  const reason = reasonOf(view, live, state)
  const holder = holderOf(view)
  const networks = Object.values(holder?.NetworkSettings.Networks ?? {})
  const main = view.shape.services[mainOf(view.shape)]
  return {
    id: view.id,
    state,
    ...(reason !== undefined && { stateReason: reason }),
    launchedAt: instant(view.createdAt),
    ...(main && { image: main.image }),
    addresses: {
      private: isOn ? networks.map(({ IPAddress }) => IPAddress).filter(address => address !== '') : [],
      public: [],
    },
    endpoints: isOn && isUp(holder) ? endpointsOf(view, holder!, live.address) : [],
    services: Object.fromEntries(Object.keys(view.shape.services).map(name => [name, serviceInfo(view, name, live)])),
    tags: tagsIn(view.labels),
  }
}

export function stateOf(view: View, known: Known): ServerState {
  if (view.stage === 'going') return 'terminating'
  if (isIncomplete(view)) return view.stage === 'made' ? 'terminated' : known.problem ? 'stopped' : 'pending'
  if (known.winding) return 'stopping'
  const holder = holderOf(view)!
  if (isFresh(view)) return known.problem || cannotRun(holder) || !isWantedOn(view, known) ? 'stopped' : 'pending'
  const isOver = endedForGood(view, known) !== undefined
  if (!isShared(view.shape)) return isOver ? 'stopped' : 'running'
  if (!holder.State.Running) return Object.values(view.services).some(isUp) ? 'stopping' : 'stopped'
  if (isOver) return 'stopping'
  return isUp(holder) && isOfThisBoot(view, view.services[mainOf(view.shape)]) ? 'running' : 'pending'
}

/** Something that it needs is not there: not yet, or no longer. */
export const isIncomplete = (view: View): boolean =>
  Object.values(view.services).some(container => container === undefined) ||
  (isShared(view.shape) && view.holder === undefined)

/** It was never started. */
export const isFresh = (view: View): boolean => !hasRun(holderOf(view))

function reasonOf(view: View, live: Live, state: ServerState): string | undefined {
  if (state === 'terminated') return 'a container of it was removed, and not by us'
  if (live.problem !== undefined && (state === 'stopped' || state === 'stopping')) return live.problem
  if (state === 'pending') return live.progress
  if (state !== 'stopped' && state !== 'stopping') return undefined
  if (live.winding || live.rested) return undefined
  const name = endedForGood(view, live)
  if (name === undefined) return undefined
  const { State } = view.services[name]!
  if (cannotRun(view.services[name])) return `${name}: ${State.Error}`
  // One that the engine would have started again was stopped by somebody.
  if (isRestarted(view.shape.services[name]!, State.ExitCode)) return undefined
  return `${wordFor(view.services[name]!)}: ${name} exited with code ${State.ExitCode}`
}

function wordFor({ State }: Container): string {
  if (State.OOMKilled && State.ExitCode !== 0) return 'OOMKilled'
  return State.ExitCode === 0 ? 'Completed' : 'Error'
}

function serviceInfo(view: View, name: string, live: Live): ServiceInfo {
  const container = view.services[name]
  const { state, exitCode } = progressOf(view, name, live)
  const { health, problem } = live.healthOf(name)
  const hasEnded = exitCode !== undefined && container !== undefined
  const reason = hasEnded ? container.State.Error || wordFor(container) : health === 'unhealthy' ? problem : undefined
  return {
    state,
    ready: state === 'running' && live.isWell(name),
    ...(state === 'running' && health !== undefined && { health }),
    restarts: container?.RestartCount ?? 0,
    ...(hasEnded && { exitCode }),
    ...(reason !== undefined && { reason }),
  }
}

function endpointsOf(view: View, holder: Container, host: string): ServerInfo['endpoints'] {
  return Object.entries(view.shape.services).flatMap(([service, { ports }]) =>
    ports.flatMap(({ name, protocol, port, public: isPublic }) => {
      const [bound] = holder.NetworkSettings.Ports?.[`${port}/${protocol}`] ?? []
      return bound ? [{ service, name, protocol, host, port: Number(bound.HostPort), public: isPublic }] : []
    }),
  )
}

/** A container that is nothing of ours. */
export function foreignInfo(container: Container): ServerInfo {
  const name = container.Name.replace(/^\//, '')
  const { State, NetworkSettings } = container
  const isOn = isUp(container)
  return {
    id: name,
    state: states.read(State.Status),
    launchedAt: instant(time(container.Created)),
    image: container.Config.Image,
    addresses: {
      private: isOn
        ? Object.values(NetworkSettings.Networks ?? {}).flatMap(({ IPAddress }) => (IPAddress ? [IPAddress] : []))
        : [],
      public: [],
    },
    endpoints: [],
    services: {
      main: {
        state: isOn ? 'running' : hasRun(container) ? 'exited' : 'waiting',
        ready: isOn,
        restarts: container.RestartCount,
      },
    },
    tags: container.Config.Labels ?? {},
  }
}
