import type { Store, StoredRecord } from '@stead/engine'
import { idPrefix } from '@stead/world'
import { type RecordSource, sourceOf } from '../records/read.ts'
import { auditIndexTable, auditTable, type Facets, readFacets } from './model.ts'

export interface AuditFilters {
  /** An id, or a name. */
  readonly actor?: string | undefined
  /** `noun:verb`, or `noun:*`. */
  readonly action?: string | undefined
  /** An id, or a name. */
  readonly object?: string | undefined
}

/** How to find entries: where they are looked for, which of those found are meant, and how what was found becomes entries. */
export interface AuditSearch {
  readonly source: RecordSource
  readonly matches: (record: StoredRecord) => boolean
  readonly resolve: (found: readonly StoredRecord[]) => Promise<readonly StoredRecord[]>
}

/** Looks for entries of one organization, or of all and the platform. */
export function searchAudit(
  store: Pick<Store, 'records'>,
  organization: string | undefined,
  filters: AuditFilters,
): AuditSearch {
  const { actor, object } = filters
  const matches = (record: StoredRecord) => isMeant(readFacets(record), organization, filters)
  const isActorId = actor !== undefined && isId(actor)
  const isObjectId = object !== undefined && idPrefix(object) !== undefined
  if (organization !== undefined && (isObjectId || !isActorId)) {
    const subject = isObjectId ? { subject: object } : {}
    const source = sourceOf(store, { table: auditTable, scope: organization, ...subject })
    return { source, matches, resolve: async found => found }
  }
  const subject = isActorId ? { subject: actor } : {}
  const source = sourceOf(store, { table: auditIndexTable, scope: 'platform', ...subject })
  return { source, matches, resolve: lines => entriesOf(store, lines) }
}

/** Actors that are no principals have short names of their own: nobody, system. */
const isId = (actor: string) => idPrefix(actor) !== undefined || actor === 'nobody' || actor === 'system'

function isMeant(facets: Facets, organization: string | undefined, { actor, action, object }: AuditFilters): boolean {
  const isNoun = action?.endsWith(':*')
  return (
    (organization === undefined || facets.scope === organization) &&
    (actor === undefined || facets.actor === actor || facets.actorName === actor) &&
    (object === undefined || facets.object === object || facets.objectName === object) &&
    (action === undefined || (isNoun ? facets.action.startsWith(action.slice(0, -1)) : facets.action === action))
  )
}

/**
 * The entries that lines of the index belong to: each the last of its scope before the line, because the two are written
 * one after the other in one change-set. Where it was forgotten already there is none of the same time.
 */
async function entriesOf(
  store: Pick<Store, 'records'>,
  lines: readonly StoredRecord[],
): Promise<readonly StoredRecord[]> {
  const entries = await Promise.all(
    lines.map(async line => {
      const { scope } = line.body as Facets
      const [entry] = await store.records({ table: auditTable, scope, before: line.sequence, limit: 1 })
      return entry?.at === line.at ? entry : undefined
    }),
  )
  return entries.filter(entry => entry !== undefined)
}
