import type { ServiceInfo } from '@stead/provider-kit'
import type { Server } from '../servers/model.ts'
import type { Health, Instance, InstanceStatus } from './model.ts'
import { roleOf } from './source/services.ts'
import type { Phase } from './transitions.ts'

/** What a backend object was found to be, whatever it should be. */
export type Seen =
  /** Nothing is there yet. */
  | { readonly type: 'unmade' }
  /** Nothing can be said of it now. */
  | { readonly type: 'unknown' }
  | { readonly type: 'booting' | 'running' | 'stopping' }
  /** It is down: because it was told to, because it had done its work, or because it died. */
  | { readonly type: 'down'; readonly why: 'told' | 'finished' | 'failed' | 'died'; readonly reason: string }
  /** It was there and is gone. */
  | { readonly type: 'lost'; readonly reason: string }
  /** It was refused for good, and nothing is there. */
  | { readonly type: 'refused'; readonly code: string; readonly reason: string }

/** Whether a new disk that was asked for is still to come. */
export const isRebuilding = ({ spec, status }: Pick<Server, 'spec' | 'status'>): boolean =>
  (spec.rebuild?.sequence ?? 0) > (status.applied?.rebuild ?? 0)

/** Whether a restart that was asked for is still to come. */
export const isRestarting = ({ spec, status }: Pick<Server, 'spec' | 'status'>): boolean =>
  (spec.restart?.sequence ?? 0) > (status.applied?.restart ?? 0) || isRebuilding({ spec, status })

/** Reads off a server what became of it. */
export function seen({ spec, status }: Pick<Server, 'spec' | 'status'>, instance: Pick<Instance, 'spec'>): Seen {
  if (status.lost) return { type: 'lost', reason: status.lost.reason }
  // Nothing proves it ours, and nothing will.
  if (status.adopting === 'claim' && status.failure && !status.failure.retrying)
    return { type: 'refused', code: status.failure.code, reason: status.failure.message }
  if (status.backendId === undefined) {
    const { failure } = status
    return failure && !failure.retrying
      ? { type: 'refused', code: failure.code, reason: failure.message }
      : { type: 'unmade' }
  }
  switch (status.observed?.state) {
    case undefined:
      return { type: 'unmade' }
    case 'pending':
      return { type: 'booting' }
    case 'running':
      return { type: 'running' }
    case 'stopping':
      return { type: 'stopping' }
    case 'stopped':
      return { type: 'down', ...whyDown({ spec, status }, instance) }
    default:
      // One that is ending, or has ended, is not lost before its server says so.
      return { type: 'unknown' }
  }
}

function whyDown(server: Pick<Server, 'spec' | 'status'>, { spec }: Pick<Instance, 'spec'>) {
  const { observed, applied, powering } = server.status
  const reason = observed?.stateReason ?? 'it does not run'
  // A stop that a start came after is never noted as done; what is down by it did not die.
  if (applied?.power !== 'on' || powering !== undefined) return { why: 'told', reason } as const
  const services = spec.source.services?.services ?? {}
  const main = Object.keys(services).find(name => roleOf(services[name]!) === 'main')
  const info = main === undefined ? undefined : observed?.services[main]
  const restart = (main === undefined ? undefined : services[main]?.restart) ?? 'always'
  // An exit code means something only where the policy lets an end stand.
  if (info?.state === 'exited' && info.exitCode !== undefined && info.reason === undefined) {
    if (info.exitCode === 0 && restart !== 'always') return { why: 'finished', reason } as const
    if (info.exitCode !== 0 && restart === 'never') return { why: 'failed', reason } as const
  }
  return { why: 'died', reason } as const
}

/** Of the status of an instance, what is read off its server. */
export type Projection = Pick<InstanceStatus, 'power' | 'health' | 'addresses' | 'endpoints' | 'services'>

const nothing: Projection = {
  power: 'unknown',
  health: 'unknown',
  addresses: { private: [], public: [] },
  endpoints: [],
  services: {},
}

/** What a tenant is shown of the server behind an instance. Unknown is shown as unknown. */
export function project(server: Server | undefined, instance: Instance): Projection {
  const observed = server?.status.observed
  if (!server || !observed || server.status.lost) return nothing
  const { addresses, endpoints } = observed
  const services = Object.fromEntries(
    Object.entries(observed.services).map(([name, { health: _, ...info }]) => [name, info]),
  )
  return {
    power: powerOf(seen(server, instance)),
    health: observed.state === 'running' ? healthOf(observed.services, instance) : 'unknown',
    addresses: { ...addresses, private: [...addresses.private], public: [...addresses.public] },
    endpoints: endpoints.map(endpoint => ({ ...urlOf(endpoint), ...endpoint })),
    services,
  }
}

/** Where a browser goes, of ports whose names say that one can. */
function urlOf({ name, protocol, host, port }: Projection['endpoints'][number]): { readonly url?: string } {
  const [scheme] = /^https?/.exec(name) ?? []
  if (scheme === undefined || protocol !== 'tcp') return {}
  return { url: `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}` }
}

function powerOf({ type }: Seen): Projection['power'] {
  if (type === 'running' || type === 'stopping') return 'on'
  return type === 'down' ? 'off' : 'unknown'
}

/** How the services fare together: the main one decides, and the others can only spoil it. */
function healthOf(infos: Readonly<Record<string, ServiceInfo>>, { spec }: Pick<Instance, 'spec'>): Health {
  const services = spec.source.services?.services
  // Nobody looks inside a machine.
  if (!services) return 'unknown'
  const lasting = Object.entries(services).filter(([, service]) => roleOf(service) !== 'init')
  const found = lasting.map(([name, service]) => ({ role: roleOf(service), health: serviceHealth(infos[name]) }))
  const main = found.find(({ role }) => role === 'main')?.health ?? 'unknown'
  if (main !== 'healthy') return main
  return found.every(({ health }) => health === 'healthy') ? 'healthy' : 'degraded'
}

function serviceHealth(info: ServiceInfo | undefined): 'healthy' | 'unhealthy' | 'unknown' {
  if (!info || info.state === 'unknown') return 'unknown'
  if (info.health !== undefined) return info.health
  return info.ready ? 'healthy' : 'unhealthy'
}

/** Whether what runs can be used: as far as anybody looks, it is well. */
export const isWell = (health: Health, { spec }: Pick<Instance, 'spec'>): boolean =>
  health === 'healthy' || health === 'degraded' || (health === 'unknown' && spec.source.services === undefined)

/** Whether a server is what its spec says, as far as anybody knows. */
export function isApplied({ spec, status }: Pick<Server, 'spec' | 'status'>): boolean {
  const { applied, applying, powering, adopting } = status
  return (
    applied !== undefined &&
    adopting === undefined &&
    applying === undefined &&
    powering === undefined &&
    applied.launch === spec.launch.sealed &&
    applied.power === spec.power &&
    !isRestarting({ spec, status })
  )
}

/** Where in its life an instance is by its server. The phase it is in decides where what is seen leaves it open. */
export function phaseBy(server: Server, instance: Instance): Phase {
  const found = seen(server, instance)
  const { phase, seenUp } = instance.status
  const { spec, status } = server
  const wasUp = seenUp === server.id
  switch (found.type) {
    case 'lost':
    case 'refused':
      return 'failed'
    case 'unknown':
      return phase === 'pending' ? 'provisioning' : phase
    case 'unmade':
      return 'provisioning'
    case 'booting':
      return wasUp ? 'starting' : 'provisioning'
    case 'stopping':
      return 'stopping'
    case 'running':
      if (isRestarting(server)) return 'starting'
      return spec.power === 'off' && status.applied?.power === 'on' ? 'stopping' : 'running'
    case 'down':
      if (spec.power === 'on' && (isRestarting(server) || found.why === 'told'))
        return wasUp ? 'starting' : 'provisioning'
      return found.why === 'failed' ? 'failed' : 'stopped'
  }
}
