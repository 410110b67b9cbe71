import { after, minutes } from '@stead/world'
import type { Health, InstanceStatus } from '../model.ts'
import type { Draft } from './draft.ts'

interface Change {
  readonly level: 'info' | 'warning'
  readonly reason: string
  readonly message: string
}

/** What is told of its health in this time … */
const window = minutes(10)
/** … at the most: what comes and goes all the time would drown what matters. */
export const mostTold = 6

/** Tells how it fares and how its services do, when that changes while it runs. What comes with a start or a stop is no news. */
export function tellHealth(draft: Draft): void {
  const { instance, now } = draft.view
  const [before, status] = [instance.status, draft.status]
  if (before.phase !== 'running' || status.phase !== 'running' || before.slots.active !== status.slots.active) return
  const told = before.healthTold
  const isOver = !told || now >= after(told.since, window)
  const changes = changesBetween(before, status)
  if (!isOver && told.count >= mostTold) {
    hush(draft, told, changes)
    return
  }
  // What was not told while it changed too often is made up for.
  const missed = told?.isHushed && changes.length === 0 && told.last !== status.health
  const news = missed ? [healthChange(status)] : changes
  if (news.length === 0) return
  for (const { level, reason, message } of news) draft.tell(level, reason, message)
  const count = (isOver ? 0 : told.count) + news.length
  draft.set({ healthTold: { since: isOver ? now : told.since, count, last: status.health } })
}

function hush(draft: Draft, told: NonNullable<InstanceStatus['healthTold']>, changes: readonly Change[]): void {
  const until = after(told.since, window)
  if (changes.length > 0 && !told.isHushed) {
    draft.tell('warning', 'HealthFlapping', `its health changes too often to tell each time: ${changes[0]!.message}`)
    draft.set({ healthTold: { ...told, isHushed: true } })
  }
  if (told.last !== draft.status.health) draft.wakeAt(until, 'how it fares is told again')
}

function changesBetween(before: InstanceStatus, status: InstanceStatus): readonly Change[] {
  const services = Object.entries(status.services).flatMap(([name, now]): readonly Change[] => {
    const then = before.services[name]
    if (!then) return []
    const because = now.reason ?? (now.exitCode === undefined ? `it is ${now.state}` : `it ended with ${now.exitCode}`)
    return [
      ...(now.restarts > then.restarts
        ? [
            {
              level: 'warning',
              reason: 'ServiceRestarted',
              message: `${name}, ${now.restarts} times by now: ${because}`,
            } as const,
          ]
        : []),
      ...(now.ready !== then.ready
        ? [
            now.ready
              ? ({ level: 'info', reason: 'ServiceReady', message: name } as const)
              : ({ level: 'warning', reason: 'ServiceNotReady', message: `${name}: ${because}` } as const),
          ]
        : []),
    ]
  })
  return status.health === before.health ? services : [...services, healthChange(status)]
}

const reasons: Readonly<Record<Health, string>> = {
  healthy: 'Healthy',
  degraded: 'Degraded',
  unhealthy: 'Unhealthy',
  unknown: 'HealthUnknown',
}

function healthChange({ health, services }: InstanceStatus): Change {
  const unwell = Object.entries(services).filter(([, { ready, state }]) => !ready && state !== 'exited')
  const message =
    unwell.length === 0 ? 'its services are well' : `not ready: ${unwell.map(([name]) => name).join(', ')}`
  return { level: health === 'healthy' ? 'info' : 'warning', reason: reasons[health], message }
}
