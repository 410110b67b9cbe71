/** Where in its life an instance is. */
export const phases = [
  'pending',
  'provisioning',
  'starting',
  'running',
  'stopping',
  'stopped',
  'failed',
  'destroying',
  'destroyed',
] as const
export type Phase = (typeof phases)[number]

/** What may follow what. Every writer of a phase asks `advance`, which asks this. */
export const transitions: Readonly<Record<Phase, readonly Phase[]>> = {
  pending: ['provisioning', 'failed', 'destroying'],
  provisioning: ['starting', 'running', 'stopped', 'failed', 'destroying'],
  starting: ['running', 'stopping', 'stopped', 'failed', 'destroying'],
  running: ['stopping', 'stopped', 'starting', 'provisioning', 'failed', 'destroying'],
  stopping: ['stopped', 'running', 'failed', 'destroying'],
  stopped: ['starting', 'provisioning', 'failed', 'destroying'],
  failed: ['provisioning', 'starting', 'running', 'stopped', 'destroying'],
  destroying: ['destroyed', 'failed'],
  destroyed: [],
}

/** What each phase means, in one line for the docs. */
export const meanings: Readonly<Record<Phase, string>> = {
  pending: 'accepted; nothing has been started yet',
  provisioning: 'it is being made in its region, or made anew',
  starting: 'it is there and on its way up',
  running: 'it runs',
  stopping: 'it is on its way down',
  stopped: 'it is there and does not run',
  failed: 'it cannot be brought to what is wanted without help; conditions say why',
  destroying: 'it is on its way out',
  destroyed: 'it is gone',
}

/** Whether an instance in this phase is on its way to another by itself. */
export const isTransient = (phase: Phase): boolean =>
  ['pending', 'provisioning', 'starting', 'stopping', 'destroying'].includes(phase)

/** Phases that say nothing untrue when an instance is only passing through. */
const stations: ReadonlySet<Phase> = new Set(['provisioning', 'starting', 'stopping', 'stopped'])

/**
 * The next phase on the way from one to another: the other where that may follow at once, else the first of the shortest
 * way there. What was seen late, or not at all, so never leaves the table. The same phase where there is no way.
 */
export function advance(from: Phase, to: Phase): Phase {
  const ways = new Map<Phase, Phase>([[from, from]])
  for (const [phase, first] of ways) {
    if (phase === to) return first
    if (phase !== from && !stations.has(phase)) continue
    for (const next of transitions[phase]) if (!ways.has(next)) ways.set(next, phase === from ? next : first)
  }
  return from
}
