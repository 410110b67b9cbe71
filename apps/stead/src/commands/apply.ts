import { type AnyObject, type Instance, isProblem } from '@stead/sdk'
import { seconds } from '@stead/world'
import type { Act } from '../cli/define.ts'
import { readFiles, setOf } from '../client/apply/files.ts'
import { showSteps, stepsForPrograms } from '../client/apply/show.ts'
import { isDestructive, type Step, stepsTo } from '../client/apply/steps.ts'
import { confirm } from '../client/ask.ts'
import { instanceKind, Things } from '../client/kinds.ts'
import { settle } from '../client/progress.ts'
import type { Session } from '../client/session.ts'
import { duration } from '../client/values.ts'

interface PlanFlags {
  readonly file?: readonly string[]
  readonly set?: string
  readonly prune?: boolean
}

interface ApplyFlags extends PlanFlags {
  readonly yes?: boolean
  readonly timeout?: string
  readonly wait: boolean
}

const findSteps = async (session: Session, { file = [], set = setOf(file), prune = false }: PlanFlags) =>
  stepsTo(session, new Things(session), { wanted: await readFiles(file), set, prune })

/** `stead plan -f`: what `apply` would do. */
export const plan: Act<PlanFlags> = async (session, { flags }) => {
  const steps = await findSteps(session, flags)
  if (session.out.isJson) session.out.json(stepsForPrograms(steps))
  else showSteps(session.out, steps)
}

/** `stead apply -f`: shows what changes, asks where something would be destroyed, does it, and waits until it is so. */
export const apply: Act<ApplyFlags> = async (session, { flags }) => {
  const { out } = session
  const timeout = duration('--timeout', flags.timeout)
  const steps = await findSteps(session, flags)
  if (!out.isJson) showSteps(out, steps)
  const lost = steps.filter(isDestructive)
  if (lost.length > 0)
    await confirm(session, `This destroys something of ${lost.map(({ name }) => name).join(', ')}. Go on?`, flags.yes)
  const until = session.world.monotonic() + timeout
  for (const step of steps) {
    const done = await perform(session, step, until)
    if (done && flags.wait && step.kind === instanceKind)
      await follow(session, step, done as unknown as Instance, timeout)
  }
  if (out.isJson) out.json(stepsForPrograms(steps))
}

async function perform(session: Session, step: Step, until: number): Promise<AnyObject | undefined> {
  const things = new Things(session)
  const { action, kind, is, body, effect } = step
  if (action === 'keep') return undefined
  if (action === 'delete') return things.delete(kind, is!.metadata.id)
  if (action === 'change') {
    const allow = effect === 'rebuild' || effect === 'replace' ? { allow: effect } : {}
    return things.change(kind, is!.metadata.id, body, allow)
  }
  for (;;) {
    try {
      return await things.create(kind, body)
    } catch (error) {
      // What it stands on was made a moment ago, and is on its way.
      if (!isProblem(error, 'not_ready') || session.world.monotonic() > until) throw error
      await session.world.sleep(seconds(1), session.signal)
    }
  }
}

async function follow(
  session: Session,
  { action, name }: Step,
  { metadata, spec }: Instance,
  timeout: number,
): Promise<void> {
  const { id, generation, revision } = metadata
  const phase = action === 'delete' ? 'destroyed' : spec.power === 'off' ? 'stopped' : 'running'
  const whatGoesOn = `${name} goes on on the server; the same \`stead apply\` does the rest`
  try {
    const settled = await settle(session, {
      ...{ name: id, phase, ready: phase === 'running', timeout, whatGoesOn },
      ...(action === 'change' && { generation, fromRevision: revision }),
    })
    if (!session.out.isJson)
      session.out.line(`${name} is ${settled.status.phase === 'destroyed' ? 'gone' : settled.status.phase}`)
  } catch (error) {
    if (phase !== 'destroyed' || !isProblem(error, 'not_found')) throw error
    if (!session.out.isJson) session.out.line(`${name} is gone`)
  }
}
