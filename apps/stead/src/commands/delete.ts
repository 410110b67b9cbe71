import { isProblem } from '@stead/sdk'
import type { Act } from '../cli/define.ts'
import { confirm } from '../client/ask.ts'
import { instanceKind, Things, thingNamed } from '../client/kinds.ts'
import { settle } from '../client/progress.ts'
import { duration } from '../client/values.ts'

interface DeleteFlags {
  readonly yes?: boolean
  readonly timeout?: string
  readonly wait: boolean
}

/** `stead delete`: says what will be lost, asks, and waits until it is gone. */
export const deleteThings: Act<DeleteFlags> = async (session, { args, flags }) => {
  const { out } = session
  const timeout = duration('--timeout', flags.timeout)
  const things = new Things(session)
  const named = args.map(thingNamed)
  // All of them are looked up before the first is touched: a typo in the last one leaves all as they are.
  const found = await Promise.all(
    named.map(async ({ kind, name }) => ({ kind, name, is: await things.get(kind, name) })),
  )
  const losses = found.map(({ kind, name }) =>
    kind === instanceKind ? `instance ${name}, with its disk, addresses and everything in it` : `${kind.kind} ${name}`,
  )
  if (!flags.yes) out.note(['This deletes:', ...losses.map(loss => `  ${loss}`)].join('\n'))
  await confirm(session, 'Delete?', flags.yes)
  const accepted = []
  for (const { kind, is } of found) accepted.push(await things.delete(kind, is.metadata.id))
  for (const { kind, name, is } of found) {
    if (kind !== instanceKind || !flags.wait) {
      if (!out.isJson) out.line(`${name} is being deleted`)
      continue
    }
    const whatGoesOn = `${name} is still being deleted on the server; \`stead wait ${name} --phase destroyed\` waits for it`
    const gone = settle(session, { name: is.metadata.id, phase: 'destroyed', timeout, whatGoesOn })
    // Gone before we asked.
    await gone.catch(error => (isProblem(error, 'not_found') ? undefined : Promise.reject(error)))
    if (!out.isJson) out.line(`${name} is gone`)
  }
  if (out.isJson) out.json(accepted)
}
