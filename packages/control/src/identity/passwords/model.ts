import { type BaseStatus, type ChangeSetBuilder, kindOf, type StoredObject, type View } from '@stead/engine'
import { newId, type World } from '@stead/world'
import { secret } from '../../schema/secret.ts'
import { Type } from '../../schema/type.ts'
import type { User } from '../users/model.ts'

/** A user's password, as a hash. Apart from the user, so that nothing that shows users can show it; no route shows this kind. */
export type Password = StoredObject<{ readonly hash: string }, BaseStatus>
export const passwordKind = kindOf<Password>('password')

export const passwordOf = (everything: View, { kind, id }: Pick<User, 'kind' | 'id'>): Password | undefined =>
  everything.list({ kind: passwordKind, owner: { kind, id } }).items[0]

/** Gives a user this password, in place of any other. */
export function setPassword(
  set: ChangeSetBuilder,
  { everything, world }: { readonly everything: View; readonly world: World },
  { kind, id }: Pick<User, 'kind' | 'id'>,
  hash: string,
): void {
  const existing = passwordOf(everything, { kind, id })
  if (existing) {
    set.update(existing, { spec: { hash } })
    return
  }
  set.create({
    kind: passwordKind,
    id: newId(world, 'pwd'),
    owner: { kind, id },
    labels: {},
    finalizers: [],
    createdAt: world.now(),
    spec: { hash },
    status: {},
  })
}

/** A password that somebody chooses. NIST: length counts, rules about letters do not. */
export const NewPassword = secret(Type.String({ minLength: 12, maxLength: 256 }))
/** A password that somebody shows. */
export const GivenPassword = secret(Type.String({ minLength: 1, maxLength: 256 }))
