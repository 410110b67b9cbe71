import type { View } from '@stead/engine'
import { seconds } from '@stead/world'
import { fail, type Problem } from '../errors/problem.ts'
import { openOperations } from '../operations/lifecycle.ts'
import type { OpenOperation } from '../operations/model.ts'
import type { Server } from '../servers/model.ts'
import { activeOf } from './active.ts'
import { type Instance, policiesOf } from './model.ts'
import { exclusive } from './operations.ts'
import { seen } from './project.ts'

export const verbs = ['start', 'stop', 'restart', 'suspend', 'unsuspend'] as const
export type Verb = (typeof verbs)[number]

/** All that says whether a verb makes sense now. */
export interface VerbView {
  readonly instance: Instance
  readonly active: Server | undefined
  readonly open: readonly OpenOperation[]
}

export function verbView(everything: Pick<View, 'get' | 'list'>, instance: Instance): VerbView {
  return { instance, active: activeOf(instance, everything), open: openOperations(everything, instance) }
}

/** `act`: it will be done. `nothing`: it is so already. Else why not: for good, for now, or until another is done. */
export type Verdict =
  | { readonly type: 'act' }
  | { readonly type: 'nothing' }
  | { readonly type: 'never'; readonly why: string; readonly suggestion?: string }
  | { readonly type: 'notYet'; readonly why: string }
  | { readonly type: 'busy'; readonly operation: OpenOperation }

export const act: Verdict = { type: 'act' }
const nothing: Verdict = { type: 'nothing' }
export const never = (why: string): Verdict => ({ type: 'never', why })
export const notYet = (why: string): Verdict => ({ type: 'notYet', why })

/** What is in the way of whatever would be done to an instance: that it ends. */
export const ending = ({ instance }: VerbView): Verdict | undefined =>
  instance.deletedAt === undefined ? undefined : never('it is being deleted')

/** And of whatever must not come between a replacement and its end. */
export function barred(view: VerbView): Verdict | undefined {
  const busy = exclusive(view)
  return ending(view) ?? (busy && { type: 'busy', operation: busy })
}

/** What a verb means to an instance in this state. */
export const judge = (verb: Verb, view: VerbView): Verdict => barred(view) ?? table[verb](view)

const table: Readonly<Record<Verb, (view: VerbView) => Verdict>> = {
  start({ instance, active, open }) {
    const { phase, suspended } = instance.status
    const isWanted = policiesOf(instance).power === 'on'
    if (suspended) return never(`it is suspended: ${suspended.reason}`)
    if (active && seen(active, instance).type === 'lost') return never('what it ran on is gone')
    if (phase === 'pending' || phase === 'provisioning') return notYet(`it is ${phase}`)
    if (phase === 'stopping') return notYet('it is stopping')
    // What was just told to start, and has not begun yet, would be told to restart.
    const isTold = open.some(({ spec }) => spec.type === 'start')
    return isWanted && (isTold || phase === 'running' || phase === 'starting') ? nothing : act
  },
  stop({ instance, open }) {
    const { phase } = instance.status
    const isWanted = policiesOf(instance).power === 'off'
    if (phase === 'pending' || phase === 'provisioning') return notYet(`it is ${phase}`)
    // What runs though it should be off is stopped once more.
    const isMeant = isWanted && (phase !== 'running' || open.length > 0)
    return isMeant ? nothing : act
  },
  restart({ instance }) {
    const { phase, suspended } = instance.status
    if (suspended) return never(`it is suspended: ${suspended.reason}`)
    if (phase === 'pending' || phase === 'provisioning' || phase === 'starting') return notYet(`it is ${phase}`)
    return phase === 'running' ? act : never(`it is ${phase}`)
  },
  suspend: ({ instance }) => (instance.status.suspended ? nothing : act),
  unsuspend: ({ instance }) => (instance.status.suspended ? act : nothing),
}

/** Whether a snapshot can be taken: of whatever has a disk, running or not. */
export function judgeSnapshot(view: VerbView): Verdict {
  const barrier = barred(view)
  if (barrier) return barrier
  const { instance, active } = view
  const { phase } = instance.status
  if (active && seen(active, instance).type === 'lost') return never('what it ran on is gone')
  if (phase === 'pending' || phase === 'provisioning') return notYet(`it is ${phase}`)
  return active?.status.backendId === undefined ? never(`it is ${phase}, and nothing is there`) : act
}

/** Whether it can be changed at all. */
export const judgeChange = (view: VerbView): Verdict => ending(view) ?? act

/** Whether it can be deleted: once more, too. */
export function judgeDelete({ instance }: VerbView): Verdict {
  if (instance.deletedAt !== undefined || !policiesOf(instance).isProtected) return act
  const suggestion = 'set deletionProtection to false first'
  return { type: 'never', why: 'it is protected from deletion', suggestion }
}

/** The answer to a verb that is not possible now, with what is; undefined when it is. */
export const refusalOf = (verb: Verb, view: VerbView): Problem | undefined => refusalBy(judge(verb, view), view)

/** The answer that a verdict means. */
export function refusalBy(verdict: Verdict, view: VerbView): Problem | undefined {
  switch (verdict.type) {
    case 'act':
    case 'nothing':
      return undefined
    case 'busy':
      return inProgress(verdict.operation)
    case 'notYet':
      return fail('not_ready', `this cannot be done yet: ${verdict.why}`, {
        retryAfter: seconds(2),
        extensions: { phase: view.instance.status.phase },
      })
    case 'never': {
      const possible = allowed(view)
      return fail('invalid_state', `this cannot be done: ${verdict.why}. Possible now: ${possible.join(', ')}`, {
        ...(verdict.suggestion !== undefined && { suggestion: verdict.suggestion }),
        extensions: { phase: view.instance.status.phase, allowed: possible },
      })
    }
  }
}

/** What would be done now. A delete always is, but of what is protected: that is changed first. */
const allowed = (view: VerbView): readonly string[] => [
  ...verbs.filter(verb => verb !== 'suspend' && verb !== 'unsuspend' && judge(verb, view).type === 'act'),
  judgeDelete(view).type === 'act' ? 'delete' : 'update',
]

/** Nothing but a delete comes between a replacement and its end. */
export const inProgress = ({ id, spec }: OpenOperation): Problem =>
  fail('operation_in_progress', `a ${spec.type} is under way`, { extensions: { operation: { id, type: spec.type } } })
