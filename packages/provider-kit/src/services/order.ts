import type { ServiceLaunch } from '../launch-spec.ts'
import type { ServiceInfo } from '../server-info.ts'

type Launches = Readonly<Record<string, Pick<ServiceLaunch, 'role' | 'dependsOn'>>>

/** How far a service has come. */
export interface ServiceProgress {
  readonly state: ServiceInfo['state']
  readonly exitCode?: number | undefined
}

const succeeded = (progress: ServiceProgress | undefined) => progress?.state === 'exited' && progress.exitCode === 0

/**
 * Which services may start now: inits one after the other, each to success, as they depend on each other and else as they
 * are written; then the rest, each once everything it depends on is ready.
 */
export function mayStart(
  launches: Launches,
  states: Readonly<Record<string, ServiceProgress>>,
  isReady: (name: string) => boolean,
): string[] {
  const names = Object.keys(launches)
  const isInit = (name: string) => launches[name]?.role === 'init'
  const isMet = (name: string) => (isInit(name) ? succeeded(states[name]) : isReady(name))
  const inits = names.filter(name => isInit(name) && !succeeded(states[name]))
  // An init can wait for inits only; what it names besides would wait for it in turn.
  const nextInit = inits.find(name => launches[name]!.dependsOn.filter(isInit).every(isMet))
  const candidates = inits.length === 0 ? names.filter(name => launches[name]!.dependsOn.every(isMet)) : [nextInit]
  return candidates.filter(name => name !== undefined && states[name]?.state === 'waiting') as string[]
}

/** Whether a process that ended is started again. */
export function isRestarted(
  { role, restart }: Pick<ServiceLaunch, 'role' | 'restart'>,
  code: number | undefined,
): boolean {
  if (role === 'init' && code === 0) return false
  return restart === 'always' || (restart === 'onFailure' && code !== 0)
}

/** The order in which services are stopped: what depends on something goes before it, main ones before the rest. */
export function stopOrder(launches: Launches): string[][] {
  const names = Object.keys(launches)
  const mains = names.filter(name => launches[name]!.role === 'main')
  return [mains, names.filter(name => !mains.includes(name))]
}
