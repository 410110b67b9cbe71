// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is written so here is rendered by us
import { isDeepStrictEqual } from 'node:util'
import type { ChangeSetBuilder, Ref, Sealer } from '@stead/engine'
import { type FieldError, fail } from '../../errors/problem.ts'
import { type SealedContent, sealInto } from '../../sealed/model.ts'
import type { SealedUserData } from '../source/machine.ts'
import { formatOf, mostUserDataBytes } from '../user-data.ts'

/** How it was sent. */
type Field = 'userData' | 'userDataBase64'

const machine = '/spec/source/machine'

/** What became of user data: as it was, something new, or none any more. */
export type SentUserData =
  | { readonly type: 'kept' }
  | { readonly type: 'new'; readonly content: Uint8Array; readonly isTemplate: boolean; readonly field: Field }
  | { readonly type: 'none' }

/** Reads user data as it was sent. What stands for it, sent back as it was read, means that it is unchanged. */
export function readUserData(
  { userData, userDataBase64 }: { readonly userData?: unknown; readonly userDataBase64?: unknown },
  before: SealedUserData | undefined,
): SentUserData {
  if (typeof userData === 'string' && typeof userDataBase64 === 'string')
    throw wrong('is given in two ways', 'userData', 'userDataBase64')
  // Bytes are as they are: what is in text stands for something else.
  if (typeof userDataBase64 === 'string') {
    const field = 'userDataBase64'
    return { type: 'new', content: sized(fromBase64(userDataBase64), field), isTemplate: false, field }
  }
  if (typeof userData === 'string') {
    const field = 'userData'
    const content = sized(new Uint8Array(Buffer.from(userData)), field)
    return { type: 'new', content, isTemplate: userData.includes('${'), field }
  }
  if (userData === null) return { type: 'none' }
  if (userData === undefined || isDeepStrictEqual(userData, before)) return { type: 'kept' }
  throw wrong('stands for content that is not here: send the content itself', 'userData')
}

const wrong = (message: string, ...fields: readonly (Field | 'sshAuthority')[]) =>
  fail('invalid', 'the user data cannot be used', {
    errors: fields.map((field): FieldError => ({ path: `${machine}/${field}`, message })),
  })

function fromBase64(text: string): Uint8Array {
  const content = Buffer.from(text, 'base64')
  if (content.toString('base64').replace(/=+$/, '') !== text.replace(/=+$/, ''))
    throw wrong('is not base64', 'userDataBase64')
  return new Uint8Array(content)
}

function sized(content: Uint8Array, field: Field): Uint8Array {
  if (content.length <= mostUserDataBytes) return content
  throw wrong(`is ${content.length} bytes; at most ${mostUserDataBytes} can be given`, field)
}

/** With an authority, user data must be of a format that the authority can be added to. */
export function refuseUnmergeable(content: Uint8Array, field: Field = 'userData'): void {
  if (formatOf(content) !== undefined) return
  const message = 'user data beside an SSH authority must be of a format of cloud-init, so that both can be told'
  throw wrong(message, field, 'sshAuthority')
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
