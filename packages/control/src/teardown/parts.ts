import type { Kind, StoredObject } from '@stead/engine'
import type { Part } from './model.ts'

type Described<T extends StoredObject> = {
  readonly noun: string
  readonly blocks: boolean
  readonly end: Part['end']
  readonly keys?: (part: T) => readonly string[]
}

const partOf = <T extends StoredObject>(kind: Kind<T>, { keys, ...rest }: Described<T>) => ({
  kind: kind as string,
  ...rest,
  ...(keys && { keys: (part: StoredObject) => keys(part as T) }),
})

/** Things of a kind that are in a project. */
export const inProject = <T extends StoredObject>(kind: Kind<T>, described: Described<T>): Part => ({
  ...partOf(kind, described),
  find: (everything, project) => everything.within({ project: project.id }).list({ kind }).items,
  wholeOf: ({ projectId }) => projectId,
})

/** Things of a kind that are in an organization, in its projects too. */
export const inOrganization = <T extends StoredObject>(kind: Kind<T>, described: Described<T>): Part => ({
  ...partOf(kind, described),
  find: (everything, organization) => everything.within({ organization: organization.id }).list({ kind }).items,
  wholeOf: ({ organizationId }) => organizationId,
})

/** Things of a kind that have the whole as their owner. */
export const ownedBy = <T extends StoredObject>(kind: Kind<T>, described: Described<T>): Part => ({
  ...partOf(kind, described),
  find: (everything, { kind: ownerKind, id }) => everything.list({ kind, owner: { kind: ownerKind, id } }).items,
  wholeOf: ({ owner }) => owner?.id,
})
