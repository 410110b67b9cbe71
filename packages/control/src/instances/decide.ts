import { conclude } from './decide/conclude.ts'
import { type Decision, Draft, type InstanceView } from './decide/draft.ts'
import { end } from './decide/ending.ts'
import { live } from './decide/life.ts'
import { look } from './decide/looking.ts'

export type { Action, Decision, InstanceView, Outdated, ServerChange } from './decide/draft.ts'

/** What should happen to an instance now: one step, everything of which is written at once. */
export function decide(view: InstanceView): Decision {
  const draft = new Draft(view)
  if (view.region === 'observing') look(draft)
  else if (view.instance.deletedAt === undefined) live(draft)
  else end(draft)
  conclude(draft)
  return draft.decision()
}
