import { isRestarted, type ServiceProgress } from '@stead/provider-kit'
import type { Labels } from '../engine/engine.ts'
import type { Container } from '../engine/words.ts'
import { labels, type ServiceShape, type Shape } from './labels.ts'

export type Stage = 'new' | 'made' | 'going'

/** All that an engine has of one server, at one moment. */
export interface View {
  readonly id: string
  readonly stage: Stage
  readonly labels: Labels
  readonly shape: Shape
  readonly createdAt: number
  readonly services: Readonly<Record<string, Container | undefined>>
  /** Keeps the network that several services share; undefined when there is none yet, or there is only one service. */
  readonly holder: Container | undefined
}

/** What only this process knows of it. */
export interface Known {
  /** Being brought to rest, or brought there by us: what has ended is not about to be started again. */
  readonly winding: boolean
  readonly rested: boolean
  /** What was asked of it since; undefined when that is what it was launched with. */
  readonly power: 'on' | 'off' | undefined
  /** Services that are being restarted. */
  readonly rebooting: ReadonlySet<string>
  /** Why it was given up. */
  readonly problem: string | undefined
  /** Whether nothing speaks against a service that runs. */
  isWell(service: string): boolean
  /** The engine says of what it is about to restart that it has ended. */
  readonly restartsLate: boolean
  readonly now: number
}

export function stageOf(name: string, id: string): Stage {
  if (name === `${id}_going`) return 'going'
  return name === `${id}_made` ? 'made' : 'new'
}

export const readShape = (all: Labels): Shape =>
  JSON.parse(all[labels.shape] ?? '{"power":"off","services":{}}') as Shape

/** One service needs no network of its own to share. */
export const isShared = ({ services }: Shape): boolean => Object.keys(services).length > 1

export const mainOf = ({ services }: Shape): string =>
  Object.keys(services).find(name => services[name]!.role === 'main')!

export const time = (text: string | undefined): number => {
  const at = Date.parse(text ?? '')
  // Never: the year 1, in both engines.
  return Number.isNaN(at) || at < 0 ? 0 : at
}

export const hasRun = (container: Container | undefined): boolean => time(container?.State.StartedAt) > 0
export const isUp = (container: Container | undefined): boolean =>
  container?.State.Running === true && !container.State.Restarting

/** It was started, and its command is not there or may not be run. What failed otherwise may go better the next time. */
export const cannotRun = (container: Container | undefined): boolean =>
  !hasRun(container) && (container?.State.ExitCode === 126 || container?.State.ExitCode === 127)

/** Who holds the network of a server: while it is up, the server is. */
export const holderOf = (view: View): Container | undefined =>
  isShared(view.shape) ? view.holder : view.services[mainOf(view.shape)]

/** Whether a service was started since its server was started last: by the engine's clock, and only by that. */
export const isOfThisBoot = (view: View, container: Container | undefined): boolean => {
  if (!hasRun(container)) return false
  if (!isShared(view.shape)) return true
  return hasRun(view.holder) && time(container?.State.StartedAt) >= time(view.holder?.State.StartedAt)
}

/** So long Podman may say that a container has ended which it is about to start again. Docker says that it restarts. */
const aboutToRestart = 3_000

export function progressOf(view: View, name: string, known: Known): ServiceProgress {
  const container = view.services[name]
  const shape = view.shape.services[name]!
  if (!container) return { state: 'waiting' }
  const { State } = container
  if (State.Restarting) return { state: 'waiting', exitCode: State.ExitCode }
  if (State.Running) return isOfThisBoot(view, container) ? { state: 'running' } : { state: 'waiting' }
  if (!hasRun(container))
    return cannotRun(container) ? { state: 'exited', exitCode: State.ExitCode } : { state: 'waiting' }
  if (!isOfThisBoot(view, container)) return { state: 'waiting' }
  return known.rebooting.has(name) || isAboutToRestart(container, shape, known)
    ? { state: 'waiting', exitCode: State.ExitCode }
    : { state: 'exited', exitCode: State.ExitCode }
}

function isAboutToRestart(container: Container, shape: ServiceShape, known: Known): boolean {
  if (!known.restartsLate || known.winding || known.rested) return false
  if (!isRestarted(shape, container.State.ExitCode)) return false
  return known.now - time(container.State.FinishedAt) < aboutToRestart
}

/** Whether the main service was started in this boot and has ended for good, or an init failed for good; and which it was. */
export function endedForGood(view: View, known: Known): string | undefined {
  const ended = (name: string) => progressOf(view, name, known).state === 'exited'
  const { services } = view.shape
  return Object.keys(services).find(name => {
    const { role } = services[name]!
    if (role === 'main') return ended(name)
    return role === 'init' && ended(name) && progressOf(view, name, known).exitCode !== 0
  })
}

export const isWantedOn = ({ shape }: View, { power = shape.power }: Known): boolean => power === 'on'

/** When to look again although nothing may have been told: what was to be restarted may not be. */
export const mayEndUnseen = (view: View, known: Known): boolean =>
  known.restartsLate &&
  Object.keys(view.services).some(name => {
    const { state, exitCode } = progressOf(view, name, known)
    return state === 'waiting' && exitCode !== undefined
  })
