import { ConflictError, changeSet, type ObjectDraft, type Sealer, type Store } from '@stead/engine'
import { after, isoTime } from '@stead/world'
import type { Reply, Request } from '../../door/route.ts'
import type { Services } from '../../door/services.ts'
import { fail } from '../../errors/index.ts'
import type { Recall } from '../../identity/authentication/recall.ts'
import type { Caller, Place } from '../../identity/caller.ts'
import { mint, proves, readCredential } from '../../identity/credential.ts'
import { placeOf } from '../../identity/grants/model.ts'
import { type Instance, instances } from '../../instances/model.ts'
import { draftOf } from '../../resource/resource.ts'
import { sealInto } from '../../sealed/model.ts'
import { type StreamType, streamPermissions, streamTickets, type TicketSpec, ticketLifetime } from './model.ts'

export interface TicketSurroundings {
  readonly store: Pick<Store, 'blob'>
  readonly sealer: Sealer
  readonly recall: Recall
}

/** A ticket that was taken: whose it is, and for what. */
export interface Taken {
  readonly caller: Caller
  readonly instance: Instance
  readonly type: StreamType
  readonly request: unknown
  /** Whether they would still get it. */
  readonly stillAllowed: () => boolean
}

type Asking = Pick<Request<unknown, unknown, unknown, Instance>, 'target' | 'caller'>

/** Makes a ticket for what was asked for and found possible. */
export function issueTicket(
  { sealer }: Pick<TicketSurroundings, 'sealer'>,
  { world, conclude }: Services,
  { target, caller }: Asking,
  asked: { readonly type: StreamType; readonly request: unknown },
): Promise<Reply> {
  const { id, text, hash } = mint(world, 'tkt')
  const expiresAt = after(world.now(), ticketLifetime)
  const set = changeSet(world)
  const owner = { kind: streamTickets as string, id }
  const request = sealInto(set, sealer, owner, Buffer.from(JSON.stringify(asked.request)))
  // Nobody's, as sessions are: a project that ends need not wait for it.
  const place: Place = { type: 'platform' }
  const spec = { hash, expiresAt, standing: caller.standing!, instance: target.id, type: asked.type, request }
  const draft: ObjectDraft<TicketSpec> = draftOf({ ...owner, world, place, caller, labels: {}, spec, status: {} })
  return conclude(set.create(draft), outcome => {
    // With how new a node has to be to know it: whoever opens it may reach another one.
    const ticket = `${text}.${outcome.object(draft).revision}`
    return { status: 201, body: { ticket, url: `/v1/streams/${ticket}`, expiresAt: isoTime(expiresAt) } }
  })
}

/** One answer for unknown, used, expired and withdrawn: who does not hold it learns nothing about it. */
const unknown = () =>
  fail('not_found', 'there is no such ticket: it is unknown, was used, or has expired', {
    suggestion: 'ask for a new one: each opens once, within a minute',
  })

/** Takes a ticket out of the world. Of several who try, on whichever nodes, one gets it. */
export async function takeTicket(
  { store, sealer, recall }: TicketSurroundings,
  { world, everything, reached, commit, cameInAs, does }: Services,
  shown: string,
): Promise<Taken> {
  const [, text = '', revision = ''] = /^([\w-]+)\.(\d{1,15})$/.exec(shown) ?? []
  const credential = readCredential('tkt', text)
  if (!credential) throw unknown()
  await reached(Number(revision))
  const ticket = everything.get(streamTickets, credential.id)
  if (!ticket || !proves(credential.secret, ticket.spec.hash) || ticket.spec.expiresAt <= world.now()) throw unknown()
  const { type, standing, request } = ticket.spec
  const caller = recall(standing)
  const instance = everything.get(instances, ticket.spec.instance)
  if (!caller || !instance) throw unknown()
  const permission = streamPermissions[type]
  const stillAllowed = () =>
    caller.may(permission, placeOf(instance)) && everything.get(instances, instance.id) !== undefined
  const sealed = stillAllowed() ? await store.blob(ticket, request.sealed) : undefined
  if (!sealed) throw unknown()
  cameInAs(caller)
  does({ action: permission, object: instance })
  try {
    await commit(changeSet(world).remove(ticket))
  } catch (error) {
    throw error instanceof ConflictError ? unknown() : error
  }
  return { caller, instance, type, request: JSON.parse(Buffer.from(sealer.open(sealed)).toString()), stillAllowed }
}
