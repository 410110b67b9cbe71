import type { ServiceLaunch, ServicesLaunch } from '../../launch-spec.ts'
import type { ServiceInfo } from '../../server-info.ts'
import type { CloudState } from './states.ts'

/** What a service does in this cloud: two commands end, everything else runs for ever. */
export interface Program {
  readonly endsAfter: number
  readonly exitCode: number
}

const forever: Program = { endsAfter: Number.POSITIVE_INFINITY, exitCode: 0 }

/** `exit <code>` ends at once, `sleep <seconds>` after a while with 0. */
export function program(service: ServiceLaunch): Program {
  const [word, argument = '0'] = [...(service.command ?? []), ...(service.args ?? [])]
  if (word === 'exit') return { endsAfter: 0, exitCode: Number(argument) }
  if (word === 'sleep') return { endsAfter: Number(argument) * 1_000, exitCode: 0 }
  return service.role === 'init' ? { endsAfter: 0, exitCode: 0 } : forever
}

export const restarts = (service: ServiceLaunch, exitCode: number): boolean =>
  service.role !== 'init' && (service.restart === 'always' || (service.restart === 'onFailure' && exitCode !== 0))

/** How long a service that ended waits before it is started again. */
const restartPause = 1_000

/** The init that keeps the rest from starting, if there is one. */
export function failedInit(source: ServicesLaunch): [string, number] | undefined {
  for (const [name, service] of Object.entries(source.services)) {
    const { exitCode } = program(service)
    if (service.role === 'init' && exitCode !== 0) return [name, exitCode]
  }
  return undefined
}

/** How the main service ends the whole, if it does: after how long and with which code. */
export function mainEnd(source: ServicesLaunch): Program | undefined {
  const main = Object.values(source.services).find(service => service.role === 'main')
  const run = main && program(main)
  return run && Number.isFinite(run.endsAfter) && !restarts(main, run.exitCode) ? run : undefined
}

/** How each service fares. Worked out when somebody asks, from how long ago the whole was started. */
export function serviceInfos(
  source: ServicesLaunch,
  state: CloudState,
  sinceBoot: number | undefined,
): Record<string, ServiceInfo> {
  const infos: Record<string, ServiceInfo> = {}
  for (const [name, service] of Object.entries(source.services)) infos[name] = serviceInfo(service, state, sinceBoot)
  return infos
}

function serviceInfo(service: ServiceLaunch, state: CloudState, sinceBoot: number | undefined): ServiceInfo {
  if (sinceBoot === undefined) return { state: 'waiting', ready: false, restarts: 0 }
  const run = program(service)
  const ended = sinceBoot >= run.endsAfter
  if (ended && !restarts(service, run.exitCode))
    return {
      state: 'exited',
      ready: service.role === 'init' && run.exitCode === 0,
      restarts: 0,
      exitCode: run.exitCode,
    }
  const count = Number.isFinite(run.endsAfter) ? Math.floor(sinceBoot / (run.endsAfter + restartPause)) : 0
  if (state !== 'active') return { state: 'exited', ready: false, restarts: count, exitCode: 0, reason: 'stopped' }
  if (ended && sinceBoot - count * (run.endsAfter + restartPause) >= run.endsAfter)
    return { state: 'waiting', ready: false, restarts: count, exitCode: run.exitCode, reason: 'CrashLoopBackOff' }
  const health = service.healthChecks.length > 0 ? { health: 'healthy' as const } : {}
  return { state: 'running', ready: true, restarts: count, ...health }
}
