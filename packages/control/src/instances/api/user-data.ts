// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is written so here is rendered by us
import { isDeepStrictEqual } from 'node:util'
import type { ChangeSetBuilder, Ref, Sealer } from '@stead/engine'
import { type FieldError, fail } from '../../errors/problem.ts'
import { type SealedContent, sealInto } from '../../sealed/model.ts'
import type { SealedUserData } from '../source/machine.ts'
import { formatOf, mostUserDataBytes } from '../user-data.ts'

const field = '/spec/source/machine/userData'

/** What became of user data: as it was, something new, or none any more. */
export type SentUserData =
  | { readonly type: 'kept' }
  | { readonly type: 'new'; readonly content: Uint8Array; readonly isTemplate: boolean }
  | { readonly type: 'none' }

/** Reads user data as it was sent. What stands for it, sent back as it was read, means that it is unchanged. */
export function readUserData(
  { userData, userDataBase64 }: { readonly userData?: unknown; readonly userDataBase64?: unknown },
  before: SealedUserData | undefined,
): SentUserData {
  // Bytes are as they are: what is in text stands for something else.
  if (typeof userDataBase64 === 'string')
    return { type: 'new', content: sized(fromBase64(userDataBase64)), isTemplate: false }
  if (typeof userData === 'string') {
    const content = sized(new Uint8Array(Buffer.from(userData)))
    return { type: 'new', content, isTemplate: userData.includes('${') }
  }
  if (userData === null) return { type: 'none' }
  if (userData === undefined || isDeepStrictEqual(userData, before)) return { type: 'kept' }
  throw wrong('stands for content that is not here: send the content itself')
}

const wrong = (message: string, path = field) =>
  fail('invalid', 'the user data cannot be used', { errors: [{ path, message } satisfies FieldError] })

function fromBase64(text: string): Uint8Array {
  const content = Buffer.from(text, 'base64')
  if (content.toString('base64').replace(/=+$/, '') !== text.replace(/=+$/, ''))
    throw wrong('is not base64', `${field}Base64`)
  return new Uint8Array(content)
}

function sized(content: Uint8Array): Uint8Array {
  if (content.length <= mostUserDataBytes) return content
  throw wrong(`is ${content.length} bytes; at most ${mostUserDataBytes} can be given`)
}

/** With an authority, user data must be of a format that the authority can be added to. */
export function refuseUnmergeable(content: Uint8Array): void {
  if (formatOf(content) !== undefined) return
  throw wrong('must be of a format of cloud-init when sshAuthority is given, so that both can be told to the machine')
}

/** What stands for new user data. */
export const standingFor = (
  { isTemplate }: Extract<SentUserData, { type: 'new' }>,
  content: SealedContent,
): SealedUserData => ({ ...content, ...(isTemplate && { template: true }) })

/** Seals new content beside the instance; what it replaces goes. The same content again is no change. */
export function sealUserData(
  set: ChangeSetBuilder,
  sealer: Sealer,
  {
    owner,
    sent,
    before,
  }: { readonly owner: Ref; readonly sent: SentUserData; readonly before: SealedUserData | undefined },
): SealedUserData | undefined {
  if (sent.type === 'kept') return before
  const after = sent.type === 'new' ? standingFor(sent, sealInto(set, sealer, owner, sent.content)) : undefined
  if (before && after?.sealed === before.sealed) {
    set.blobs.pop()
    return after
  }
  if (before) set.dropBlob(owner, before.sealed)
  return after
}
