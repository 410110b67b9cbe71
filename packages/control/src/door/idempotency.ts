import { hash } from 'node:crypto'
import { type ChangeSet, canonicalJson, type Sealer, type Store } from '@stead/engine'
import { fail } from '../errors/index.ts'
import { type WrittenReply, withRevision } from './written-reply.ts'

/** Keeps an answer that holds secrets, such as a token that is shown once. */
export interface ReplySealer {
  seal(text: string): string
  open(sealed: string): string
}

/** The house's own sealer, for text. */
export const replySealer = (sealer: Pick<Sealer, 'seal' | 'open'>): ReplySealer => ({
  seal: text => Buffer.from(sealer.seal(Buffer.from(text)).sealed).toString('base64'),
  open: sealed => Buffer.from(sealer.open(Buffer.from(sealed, 'base64'))).toString(),
})

/** Of the store, what remembering takes. */
export type IdempotencyStore = Pick<Store, 'keyHolder' | 'records' | 'outcome'>

export const idempotencyTable = 'idempotency'

/** The answer to a request with a key, kept with the change it made. */
export interface KeptReply {
  readonly key: string
  readonly fingerprint: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text?: string
  readonly sealed?: string
  readonly placeholder: number
}

/** One request that must have its effect once, however often it is sent. */
export interface KeyedRequest {
  /** What is taken in the store. Says neither who nor what. */
  readonly key: string
  /** Equal for equal requests. */
  readonly fingerprint: string
}

/**
 * A key is a principal's own: two principals never meet in one. What is stored are hashes, and the one of the request
 * is salted with the caller's own key, which is not stored: a copy of the store cannot be searched for a guessed
 * secret.
 */
export function keyedRequest(principalId: string, idempotencyKey: string, request: unknown): KeyedRequest {
  if (idempotencyKey.length < 1 || idempotencyKey.length > 255) {
    const message = 'must be 1 to 255 characters'
    throw fail('invalid_request', `Idempotency-Key ${message}`, { errors: [{ path: 'Idempotency-Key', message }] })
  }
  // In one call each: making hash objects took 60 µs of a create's 450.
  const name = hash('sha256', `${principalId}\n${idempotencyKey}`, 'base64url')
  const fingerprint = hash('sha256', `${idempotencyKey}\n${canonicalJson(request)}`, 'base64url')
  return { key: `idempotency/${name}`, fingerprint }
}

export interface Keeping {
  readonly keyed: KeyedRequest
  readonly reply: WrittenReply
  readonly placeholder: number
  /** Given when the answer holds secrets. */
  readonly sealer?: ReplySealer | undefined
  /** Who held the key before and has been forgotten. */
  readonly takeFrom?: string | undefined
}

/**
 * The change-set with the key and the answer in it: the effect, the claim and the memory of it are one write. The key's
 * holder is the change-set, whose outcome says at which revision it happened.
 */
export function keeping(changeSet: ChangeSet, { keyed, reply, placeholder, sealer, takeFrom }: Keeping): ChangeSet {
  const { key, fingerprint } = keyed
  const { status, headers, text } = reply
  const words = text === undefined ? {} : sealer ? { sealed: sealer.seal(text) } : { text }
  const kept: KeptReply = { key, fingerprint, status, headers, placeholder, ...words }
  return {
    ...changeSet,
    takes: [...changeSet.takes, { key, holder: changeSet.id }],
    releases: takeFrom === undefined ? changeSet.releases : [...changeSet.releases, { key, holder: takeFrom }],
    // On the platform, not in a tenant's scope: it is found by its change-set, and swept for all tenants at once.
    records: [...changeSet.records, { table: idempotencyTable, subject: changeSet.id, scope: 'platform', body: kept }],
  }
}

/** What became of a key: nothing yet, an answer, or a claim whose answer is no longer kept. */
export type Recollection =
  | { readonly type: 'unknown' }
  | { readonly type: 'answered'; readonly reply: WrittenReply; readonly revision: number }
  | { readonly type: 'forgotten'; readonly holder: string }

/** Looks a key up. Refuses it when it was used for another request. */
export async function recall(
  store: IdempotencyStore,
  { key, fingerprint }: KeyedRequest,
  sealer: ReplySealer | undefined,
): Promise<Recollection> {
  const holder = await store.keyHolder(key)
  if (holder === undefined) return { type: 'unknown' }
  const query = { table: idempotencyTable, scope: 'platform', subject: holder, limit: 1 }
  const [records, outcome] = await Promise.all([store.records(query), store.outcome(holder)])
  const kept = records[0]?.body as KeptReply | undefined
  if (!kept || !outcome) return { type: 'forgotten', holder }
  if (kept.fingerprint !== fingerprint)
    throw fail('idempotency_mismatch', 'this Idempotency-Key was sent before with another request')
  const text = kept.sealed === undefined ? kept.text : sealer!.open(kept.sealed)
  const { status, headers, placeholder } = kept
  const reply = withRevision({ status, headers, text }, placeholder, outcome.revision)
  return { type: 'answered', reply, revision: outcome.revision }
}
