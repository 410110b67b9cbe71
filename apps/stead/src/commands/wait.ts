import type { Phase } from '@stead/sdk'
import type { Act } from '../cli/define.ts'
import { settle } from '../client/progress.ts'
import { duration } from '../client/values.ts'

/** `stead wait`. */
export const wait: Act<{ phase?: string; ready?: boolean; timeout?: string }> = async (session, { args, flags }) => {
  const [name = ''] = args
  const found = await settle(session, {
    name,
    phase: (flags.phase?.split(',') ?? ['running']) as Phase[],
    ready: flags.ready ?? false,
    timeout: duration('--timeout', flags.timeout),
    whatGoesOn: `nothing was stopped: what happens to ${name} goes on on the server`,
  })
  session.out.result(`${name} is ${found.status.phase}`, found)
}
