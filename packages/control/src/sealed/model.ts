import type { ChangeSetBuilder, Ref, Sealer, Store } from '@stead/engine'
import type { Static } from 'typebox'
import { Type } from '../schema/type.ts'

/**
 * What stands in an object for something that is written and never read back: credentials, user data, secrets. The content
 * is sealed beside the object. Sent back as it was read, it means "unchanged".
 */
export const SealedContent = Type.Object(
  {
    sealed: Type.String({ description: 'Names the content without revealing it.' }),
    sizeBytes: Type.Integer({ minimum: 0 }),
  },
  { title: 'SealedContent' },
)
export type SealedContent = Static<typeof SealedContent>

/** Seals content beside its owner in the change-set that writes the owner, and answers what stands for it there. */
export function sealInto(set: ChangeSetBuilder, sealer: Sealer, owner: Ref, content: Uint8Array): SealedContent {
  const { hash, sealed } = sealer.seal(content)
  set.blobs.push({ owner, hash, sealed })
  return { sealed: hash, sizeBytes: content.length }
}

/** Reads what stands sealed in an object. Its callers hand it to a provider, or to who holds the permission for it. */
export async function unseal(
  { store, sealer }: { readonly store: Pick<Store, 'blob'>; readonly sealer: Sealer },
  owner: Ref,
  { sealed }: Pick<SealedContent, 'sealed'>,
): Promise<Uint8Array> {
  const blob = await store.blob(owner, sealed)
  if (!blob) throw new Error(`the sealed content of ${owner.kind} ${owner.id} is not in the store`)
  return sealer.open(blob)
}
