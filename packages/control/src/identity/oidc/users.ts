import { type ChangeSet, type Committed, ConflictError, changeSet, type ObjectDraft, type View } from '@stead/engine'
import type { World } from '@stead/world'
import { auditRecords } from '../../audit/model.ts'
import { system } from '../caller.ts'
import { oidcText, User, type UserSpec, userSubject, usersBySubject } from '../users/model.ts'
import type { Claims } from './model.ts'

export interface OidcUsers {
  readonly everything: View
  readonly world: World
  readonly commit: (set: ChangeSet) => Promise<Committed>
}

/** Who somebody is here that an issuer calls by this subject. */
export const findOidcUser = (everything: View, subject: { issuer: string; subject: string }): User | undefined =>
  everything.list({ kind: User.kind, index: { name: usersBySubject.name, key: oidcText(subject) } }).items[0]

/**
 * Makes a user of somebody who comes for the first time. Never joins them to a user of the same email: then whoever can
 * make an issuer say an email would be that user.
 */
export async function makeOidcUser(
  { everything, world, commit }: OidcUsers,
  oidc: { readonly issuer: string; readonly subject: string },
  { name, email }: Claims,
): Promise<User | undefined> {
  const draft = User.draft({
    world,
    place: { type: 'platform' },
    caller: system,
    labels: {},
    ...(displayNameOf(name, email) && { displayName: displayNameOf(name, email)! }),
    spec: { oidc },
    status: {},
  })
  try {
    const set = changeSet(world).create(draft).take(userSubject(oidc), draft.id)
    for (const record of told(draft, oidc.issuer)) set.record(record)
    await commit(set)
  } catch (error) {
    // Two requests of theirs came at once, and the other was faster.
    if (!(error instanceof ConflictError && error.conflict.type === 'key')) throw error
  }
  return findOidcUser(everything, oidc)
}

/** Nobody asked for it: that they came made them a user. */
const told = ({ kind, id, displayName = id }: ObjectDraft<UserSpec>, issuer: string) =>
  auditRecords({
    actor: { id, type: 'user', name: displayName },
    action: 'users:create',
    request: 'OIDC',
    object: { kind, id },
    result: 'done',
    from: { address: issuer },
    count: 1,
  })

const displayNameOf = (...claims: readonly unknown[]): string | undefined =>
  claims
    .find(claim => typeof claim === 'string' && claim !== '')
    ?.toString()
    .slice(0, 255)
