import type { Store, StoredRecord, View } from '@stead/engine'
import { placeId } from '../door/access.ts'
import { type Reply, type Request, type Route, route, type Target } from '../door/route.ts'
import { fail } from '../errors/index.ts'
import type { Permission } from '../identity/permissions.ts'
import { type RecordQuery, recordListSchema, recordQuery, recordsReply } from '../records/list.ts'
import { sourceOf } from '../records/read.ts'
import { Type } from '../schema/type.ts'
import { Operation, operationIndexTable, operations, operationsTable, presentOperation } from './model.ts'

const OperationList = recordListSchema(Operation, 'OperationList')

type Records = Pick<Store, 'records'>

/** What is done in a project, and what was. */
export const operationRoutes = (store: Records): readonly Route[] => [
  route({
    method: 'GET',
    path: '/v1/projects/:project/operations',
    summary: 'List the operations of a project, those that have ended too',
    scope: 'project',
    permission: 'operations:read',
    query: recordQuery({}),
    replies: { 200: OperationList },
    handle: request => listOperations(store, request),
  }),
  route({
    method: 'GET',
    path: '/v1/projects/:project/operations/:operation',
    summary: 'Read an operation',
    description: 'One that has ended can be read for 30 days, when its object is gone too.',
    scope: 'project',
    permission: 'operations:read',
    params: Type.Object({ operation: Type.String() }),
    replies: { 200: Operation },
    async handle({ params, objects, place }) {
      const found = await readOperation(store, objects, placeId(place), params.operation)
      if (!found) throw fail('not_found', `there is no operation ${JSON.stringify(params.operation)} here`)
      return { status: 200, body: found }
    },
  }),
]

export interface ObjectOperationsOptions {
  /** `/v1/projects/:project/widgets/:widget/operations` */
  readonly path: string
  readonly permission: Permission
  readonly target: Target
  readonly store: Records
}

/** What is done to one object, and what was. */
export const objectOperationsRoute = ({ path, permission, target, store }: ObjectOperationsOptions): Route =>
  route({
    method: 'GET',
    path,
    summary: `List the operations on a ${target.kind}`,
    scope: 'project',
    permission,
    target,
    query: recordQuery({}),
    replies: { 200: OperationList },
    handle: request => listOperations(store, { ...request, subject: request.target.id }),
  })

type ListRequest = Pick<Request<unknown, RecordQuery>, 'objects' | 'place' | 'query'> & { readonly subject?: string }

function listOperations(store: Records, { objects, place, query, subject }: ListRequest): Promise<Reply> {
  const scope = placeId(place)
  const source = sourceOf(store, { table: operationIndexTable, scope, ...(subject !== undefined && { subject }) })
  const resolve = async (lines: readonly StoredRecord[]) => {
    const found = await Promise.all(
      lines.map(async line => {
        const { id } = line.body as { readonly id: string }
        const body = await readOperation(store, objects, scope, id)
        return body && { ...line, body }
      }),
    )
    return found.filter(line => line !== undefined)
  }
  return recordsReply({ source, place, query, resolve, present: ({ body }) => body })
}

/** One that runs, from memory; else what is kept of it. */
async function readOperation(store: Records, objects: View, scope: string, id: string): Promise<Operation | undefined> {
  const open = objects.get(operations, id)
  if (open) return presentOperation(open)
  const [ended] = await store.records({ table: operationsTable, scope, subject: id, limit: 1 })
  return ended?.body as Operation | undefined
}
