import { type BaseStatus, type Kind, kindOf, type ObjectDraft, type StoredObject } from '@stead/engine'
import { newId } from '@stead/world'
import type { TObject, TSchema } from 'typebox'
import { Type } from '../schema/type.ts'
import { listSchema, Metadata } from './model.ts'
import { type Presented, present } from './present.ts'
import { draftOf, type NewObject, titleOf } from './resource.ts'

const { name: _name, ...unnamed } = Metadata.properties

/** A noun whose objects nobody names: a grant, a token. They are known by their id. */
export interface Nameless<Spec, Status extends BaseStatus> {
  readonly kind: Kind<StoredObject<Spec, Status>>
  /** `grants`: what its permissions are about. */
  readonly noun: string
  readonly schema: TObject
  readonly list: TSchema
  draft(parts: Omit<NewObject<Spec, Status>, 'name'> & { readonly id?: string }): ObjectDraft<Spec, Status>
  present(object: StoredObject<Spec, Status>): Presented
}

export interface NamelessOptions<Spec, Status> {
  /** What callers see of it, which may be less than what is kept. */
  readonly spec: TSchema
  readonly status: TSchema
  readonly show?: (object: StoredObject<Spec, Status>) => { readonly spec: unknown; readonly status: unknown }
}

/** Defines a noun without names: `nameless<GrantSpec, BaseStatus>('grant', 'grt', { … })`. */
export function nameless<Spec, Status extends BaseStatus>(
  kind: string,
  prefix: string,
  { spec, status, show }: NamelessOptions<Spec, Status>,
): Nameless<Spec, Status> {
  const title = titleOf(kind)
  const schema = Type.Object({ metadata: Type.Object(unnamed), spec, status }, { title })
  return {
    kind: kindOf<StoredObject<Spec, Status>>(kind),
    noun: `${kind}s`,
    schema,
    list: listSchema(schema, { title: `${title}List` }),
    draft: parts => draftOf({ id: newId(parts.world, prefix), ...parts, kind }),
    present: object => (show ? { ...present(object), ...show(object) } : present(object)),
  }
}
