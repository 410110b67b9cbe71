import { again, changeSet, type RecordDraft, type Result } from '@stead/engine'
import { seconds } from '@stead/world'
import { describeSettled, untouchedSince } from './answers.ts'
import { backendKey, type Server, slotKey } from './model.ts'
import { ask, type Reach } from './reach.ts'
import { observedOf, writeOutcome } from './status.ts'

/** The observer sees it go sooner; this is for when it cannot see. */
const lookAgain = seconds(15)

/** Ends the backend object, and forgets the server once it is surely gone. */
export async function terminate(reach: Reach, server: Server): Promise<Result | undefined> {
  const { context } = reach
  const { backendId, observed } = server.status
  const id = backendId!
  const remains = async () => {
    const found = await describeSettled(reach, id)
    return found === undefined || found.state === 'terminated' ? undefined : found
  }
  // Seen to be gone, it is only made sure of: of most that go, this is the second pass.
  if (observed?.state === 'terminated' && !(await remains())) return forget(reach, server)
  await ask(reach, 'terminate', (provider, options) => provider.terminate(id, options))
  const left = await remains()
  if (!left) return forget(reach, server)
  const patch = { observed: observedOf(left), failure: undefined }
  await writeOutcome(context, server, patch, { where: untouchedSince(server) })
  return again(lookAgain, 'until it is seen to be gone')
}

export const tombstones = { table: 'server-tombstones', scope: 'platform' } as const

/** What is written when a server is given up: what was made for it was meant to be gone. */
export interface Tombstone {
  readonly region: string
  readonly backendId?: string
  readonly attempts: number
}

/** Whether this is what was given up. Where its id was never seen, whatever names its server is: nothing else was made for it. */
export const isMeant = (tombstone: Tombstone, { region, backendId }: { region: string; backendId: string }): boolean =>
  tombstone.region === region && (tombstone.backendId === undefined || tombstone.backendId === backendId)

export function tombstoneOf({ id, spec: { region }, status: { backendId, attempt } }: Server): RecordDraft {
  const body: Tombstone = { region, attempts: attempt, ...(backendId !== undefined && { backendId }) }
  return { ...tombstones, subject: id, body }
}

/** The server is no more: its slot is free, and it stays known that it was to be gone. */
export async function forget({ context, store, remembers }: Reach, server: Server): Promise<undefined> {
  const { id, owner, spec, status } = server
  const set = changeSet(context.world).remove(server)
  for (const slot of ['active', 'next'] as const) {
    const key = owner && slotKey(owner.id, slot)
    if (key !== undefined && (await store.keyHolder(key)) === id) set.release(key, id)
  }
  if (spec.adopted && status.backendId !== undefined) {
    const key = backendKey(spec.region, status.backendId)
    if ((await store.keyHolder(key)) === id) set.release(key, id)
  }
  // What was never proved ours is nobody's to remove later.
  const wasOurs = status.adopting !== 'claim'
  const wasSent = status.launch === 'sent' || status.attempt > 1 || !remembers(server)
  if (wasSent && wasOurs) set.record(tombstoneOf(server))
  await context.commit(set)
}
