import { type BaseStatus, type Kind, kindOf, type ObjectDraft, type StoredObject } from '@stead/engine'
import { newId, type World } from '@stead/world'
import type { Static, TSchema } from 'typebox'
import type { Caller, Place } from '../identity/caller.ts'
import { PatchBody, type WriteBody, writeSchema } from './bodies.ts'
import { listSchema, resourceSchema } from './model.ts'
import { type Presented, present } from './present.ts'

/** What a new object is made of; the rest follows from where and by whom it is made. */
export interface NewObject<Spec, Status> {
  readonly world: World
  readonly place: Place
  readonly caller: Caller
  readonly name: string
  readonly displayName?: string
  readonly labels: Readonly<Record<string, string>>
  readonly spec: Spec
  readonly status: Status
  readonly finalizers?: readonly string[]
}

/** One noun as callers know it: its schemas, and how it is read, written and shown. Types follow from the schemas. */
export interface Resource<Spec extends TSchema = TSchema, Status extends BaseStatus = BaseStatus> {
  /** `widget`: the kind of its objects. */
  readonly kind: Kind<StoredObject<Static<Spec>, Status>>
  /** `widgets`: what its permissions are about. */
  readonly noun: string
  readonly spec: Spec
  /** How one is read: `{metadata, spec, status}`. */
  readonly schema: TSchema
  /** How one is written: `{name, labels, spec}`, or the form in which it is read. */
  readonly write: WriteBody<Spec>
  /** How one is changed: a merge patch of either form. */
  readonly patch: typeof PatchBody
  /** How many are read. */
  readonly list: TSchema
  /** Fields that never change, by JSON pointer into `{labels, displayName, spec}`. */
  readonly immutable: readonly string[]
  draft(parts: NewObject<Static<Spec>, Status>): ObjectDraft<Static<Spec>, Status>
  present(object: StoredObject<Static<Spec>, Status>): Presented
}

export interface ResourceOptions<Spec, Status> {
  /** When the plural is more than an `s`. */
  readonly noun?: string
  readonly immutable?: readonly string[]
  /** When spec or status are shown otherwise than they are kept. */
  readonly show?: (object: StoredObject<Spec, Status>) => { readonly spec: unknown; readonly status: unknown }
}

/** What a kind is called where names have no hyphens: `ssh-authority` is `SshAuthority`. */
export const titleOf = (kind: string): string =>
  kind.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Defines a noun: `resource('widget', 'wid', WidgetSpec, WidgetStatus)`. */
export function resource<Spec extends TSchema, StatusSchema extends TSchema, Status extends BaseStatus>(
  kind: string,
  prefix: string,
  spec: Spec,
  status: StatusSchema,
  options: ResourceOptions<Static<Spec>, Status> = {},
): Resource<Spec, Status> {
  const title = titleOf(kind)
  const schema = resourceSchema(spec, status, { title })
  const { show } = options
  return {
    kind: kindOf<StoredObject<Static<Spec>, Status>>(kind),
    noun: options.noun ?? `${kind}s`,
    spec,
    schema,
    write: writeSchema(title, kind, spec),
    patch: PatchBody,
    list: listSchema(schema, { title: `${title}List` }),
    immutable: options.immutable ?? [],
    draft: parts => draftOf({ ...parts, kind, id: newId(parts.world, prefix) }),
    present: object => present(show ? ({ ...object, ...show(object) } as StoredObject<unknown, BaseStatus>) : object),
  }
}

type DraftParts<Spec, Status> = Omit<NewObject<Spec, Status>, 'name'> & {
  readonly kind: string
  readonly id: string
  readonly name?: string
}

/** A new object of any noun. */
export function draftOf<Spec, Status extends BaseStatus>(parts: DraftParts<Spec, Status>): ObjectDraft<Spec, Status> {
  const { kind, id, name, displayName, labels, spec, status, finalizers = [], place, caller, world } = parts
  return {
    kind,
    id,
    labels,
    finalizers,
    spec,
    status,
    createdAt: world.now(),
    createdBy: caller.principalId,
    ...(name !== undefined && { name }),
    ...(displayName !== undefined && { displayName }),
    ...(place.type !== 'platform' && { organizationId: place.organizationId }),
    ...(place.type === 'project' && { projectId: place.projectId }),
  }
}
