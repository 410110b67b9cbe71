import { type InstanceAccepted, type Instances, isProblem, type Phase, type Plan } from '@stead/sdk'
import type { Act } from '../cli/define.ts'
import { costOf } from '../client/apply/show.ts'
import { confirm } from '../client/ask.ts'
import { settle } from '../client/progress.ts'
import type { Session } from '../client/session.ts'
import { count, duration, given } from '../client/values.ts'
import { StartError } from '../exit-codes.ts'

interface WaitFlags {
  readonly timeout?: string
  readonly wait: boolean
}

interface Verb {
  readonly name: string
  readonly flags: WaitFlags
  readonly ask: (instances: Instances) => Promise<InstanceAccepted>
  /** Where it ends. */
  readonly phase: Phase | readonly Phase[]
}

/** Asks for something, waits until it is so, and says it. */
async function perform(session: Session, { name, flags, ask, phase }: Verb): Promise<void> {
  const { project, out } = session
  const timeout = duration('--timeout', flags.timeout)
  const accepted = await ask(project.instances)
  if (!flags.wait) return out.result(`${name}: ${accepted.operation?.type ?? 'nothing to do'}, accepted`, accepted)
  const { id, generation, revision } = accepted.metadata
  const settled = await settle(session, {
    ...{ name: id, phase, generation, fromRevision: revision, ready: phase === 'running', isIdle: true, timeout },
    whatGoesOn: `it goes on on the server; \`stead wait ${name}\` waits for it`,
  })
  out.result(`${name} is ${settled.status.phase}`, settled)
}

export const start: Act<WaitFlags> = async (session, { args, flags }) => {
  for (const name of args) await perform(session, { name, flags, ask: all => all.start(name), phase: 'running' })
}

export const stop: Act<WaitFlags> = async (session, { args, flags }) => {
  for (const name of args) await perform(session, { name, flags, ask: all => all.stop(name), phase: 'stopped' })
}

export const restart: Act<WaitFlags & { service?: string; hard?: boolean }> = async (session, { args, flags }) => {
  const body = given({ service: flags.service, hard: flags.hard })
  for (const name of args)
    await perform(session, { name, flags, ask: all => all.restart(name, body), phase: 'running' })
}

export const suspend: Act<WaitFlags & { reason?: string }> = async (session, { args, flags }) => {
  const [name = ''] = args
  const { reason } = flags
  if (reason === undefined) throw new StartError('usage', '--reason is needed: its owner reads it')
  await perform(session, { name, flags, ask: all => all.suspend(name, reason), phase: 'stopped' })
}

export const unsuspend: Act<WaitFlags> = async (session, { args, flags }) => {
  const phase = ['running', 'stopped'] as const
  for (const name of args) await perform(session, { name, flags, ask: all => all.unsuspend(name), phase })
}

interface ScaleFlags extends WaitFlags {
  readonly cpu?: string
  readonly memory?: string
  readonly service?: string
  readonly flavor?: string
  readonly yes?: boolean
}

export const scale: Act<ScaleFlags> = async (session, { args, flags }) => {
  const [name = ''] = args
  const { service, flavor } = flags
  const body = given({
    ...{ cpuMillis: count('--cpu', flags.cpu), memoryMiB: count('--memory', flags.memory) },
    ...{ service, flavor },
  })
  const ask = (all: Instances) =>
    all.scale(name, body).catch(async error => {
      if (!isProblem(error, 'replacement_required')) throw error
      const plan = error.problem.plan as Plan
      const { effect } = plan
      const question = `Here this is a ${effect}: ${name} ${costOf(plan)}. Go on?`
      await confirm(session, question, flags.yes)
      return all.scale(name, body, { allow: effect as 'rebuild' | 'replace' })
    })
  await perform(session, { name, flags, ask, phase: ['running', 'stopped'] })
}
