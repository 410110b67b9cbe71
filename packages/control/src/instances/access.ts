import { type Seen, seen } from './project.ts'
import { act, barred, ending, never, notYet, type VerbView, type Verdict } from './verbs.ts'

/** What is asked of what an instance runs on. */
export type Access =
  /** What it has printed. */
  | 'read'
  /** To be let in by its own door, now or when it is up. */
  | 'login'
  | 'console'
  /** To run something inside. */
  | 'exec'

interface Rule {
  readonly bars: (view: VerbView) => Verdict | undefined
  /** As what it has to be seen; anything that is there will do unless said. */
  readonly seen?: readonly Seen['type'][]
}

const rules: Readonly<Record<Access, Rule>> = {
  // Whoever wants to know how it ended reads to the last line.
  read: { bars: () => undefined },
  login: { bars: barred },
  // That is where one sees why it does not stop.
  console: { bars: barred, seen: ['running', 'stopping'] },
  // Services are answered by the old one until the new one takes over: it can be looked into as long.
  exec: { bars: ending, seen: ['running'] },
}

/** Whether something can be asked of what an instance runs on. */
export function judgeAccess(access: Access, view: VerbView): Verdict {
  const { bars, seen: wanted } = rules[access]
  const barrier = bars(view)
  if (barrier) return barrier
  const { instance, active } = view
  const { phase, suspended } = instance.status
  const found = active && seen(active, instance)
  if (found?.type === 'lost') return never('what it ran on is gone')
  if (!found || active.status.backendId === undefined)
    return phase === 'failed' || phase === 'destroying' ? never(`it is ${phase}`) : notYet(`it is ${phase}`)
  if (!wanted || wanted.includes(found.type)) return act
  if (suspended) return never(`it is suspended: ${suspended.reason}`)
  if (found.type === 'unknown') return notYet('nothing is known of it now')
  return phase === 'starting' || phase === 'provisioning' || found.type === 'booting'
    ? notYet(`it is ${phase}`)
    : never(`it is ${phase}`)
}
