import type { Store } from '@stead/engine'
import { type LinesReply, type Reply, type Request, type Route, route } from '../door/route.ts'
import { fail } from '../errors/index.ts'
import type { Caller, Place } from '../identity/caller.ts'
import { type RecordQuery, recordListSchema, recordQuery, recordsReply, timesOf } from '../records/list.ts'
import { readPage } from '../records/read.ts'
import { Type } from '../schema/type.ts'
import { AuditEntry, presentAudit } from './model.ts'
import { type AuditFilters, searchAudit } from './read.ts'

const AuditList = recordListSchema(AuditEntry, 'AuditList')

const filters = {
  actor: Type.Optional(Type.String({ maxLength: 256, description: 'Who: an id, or a name.' })),
  action: Type.Optional(Type.String({ maxLength: 128, description: 'What: `tokens:create`, or `tokens:*`.' })),
  object: Type.Optional(Type.String({ maxLength: 256, description: 'To which object: an id, or a name.' })),
}

const linesType = 'application/x-ndjson'
const description = `Newest first. With \`Accept: ${linesType}\` everything that is asked for is answered as JSON lines, without pages.`

type AuditRequest = Pick<Request<unknown, RecordQuery & AuditFilters>, 'query' | 'place' | 'caller' | 'accept'>

/** Who did what, to those who may know. There is no way to change it. */
export function auditRoutes(store: Pick<Store, 'records'>): readonly Route[] {
  const answer = ({ query, place, caller, accept }: AuditRequest): Promise<Reply> | LinesReply => {
    const organization = place.type === 'platform' ? undefined : place.organizationId
    const { source, matches, resolve } = searchAudit(store, organization, query)
    if (!accept?.includes(linesType))
      return recordsReply({ source, place, query, matches, resolve, present: presentAudit })
    const wanted = { ...timesOf(query), matches }
    return { type: linesType, lines: exportLines({ source, wanted, resolve, mayRead: () => mayRead(caller, place) }) }
  }
  return [
    route({
      method: 'GET',
      path: '/v1/organizations/:organization/audit',
      summary: 'Read who did what in an organization',
      description,
      scope: 'organization',
      permission: 'audit:read',
      query: recordQuery(filters),
      replies: { 200: AuditList },
      lines: { type: linesType, schema: AuditEntry },
      handle: answer,
    }),
    route({
      method: 'GET',
      path: '/v1/system/audit',
      summary: 'Read who did what, everywhere',
      description,
      scope: 'platform',
      permission: 'audit:read',
      query: recordQuery(filters),
      replies: { 200: AuditList },
      lines: { type: linesType, schema: AuditEntry },
      handle: answer,
    }),
  ]
}

const mayRead = (caller: Caller, place: Place) => caller.isCurrent() && caller.may('audit:read', place)

/** Entries of one page of an export. */
const exported = 500

interface Export extends Omit<ReturnType<typeof searchAudit>, 'matches'> {
  readonly wanted: Parameters<typeof readPage>[1]
  /** Asked before each page: an export may last, and a right may not. */
  readonly mayRead: () => boolean
}

async function* exportLines({ source, wanted, resolve, mayRead }: Export): AsyncGenerator<string> {
  let before: number | undefined
  do {
    if (!mayRead()) throw fail('forbidden', 'the right to read this has ended')
    const page = await readPage(source, wanted, { before, limit: exported })
    const entries = await resolve(page.records)
    if (entries.length > 0) yield entries.map(entry => `${JSON.stringify(presentAudit(entry))}\n`).join('')
    before = page.next
  } while (before !== undefined)
}
