import {
  type ChangeSet,
  ConflictError,
  inSpan,
  type RecordDraft,
  type SpanContext,
  type Store,
  type Tracing,
  UnavailableError,
  withCommit,
} from '@stead/engine'
import { eventsTable } from '../events/model.ts'
import { type Operation, type OperationSpec, operations, operationsTable } from '../operations/model.ts'
import { operationSpanId, spanOf, traceparentOf } from './operation-span.ts'

/**
 * The same store, whose commits are spans of whatever they are made in. What is begun there, and what is told of it, keeps
 * its place in the trace, so that whoever goes on with it finds it; an operation is recorded with the commit that ends it.
 */
export function traceCommits<S extends Store>(store: S, database: string, tracing: Tracing): S {
  return withCommit(store, async (set, options) => {
    const current = tracing.current()
    const marked = current ? markedWith(set, current) : set
    const { puts, removes } = set
    const committed = await inSpan(
      tracing,
      {
        name: 'commit',
        side: 'client',
        attributes: { 'db.system.name': database, 'stead.objects': puts.length + removes.length },
        answered: ({ revision }) => ({ attributes: { 'stead.revision': revision } }),
        failureOf,
      },
      () => store.commit(marked, options),
    )
    for (const record of set.records) recordEnd(record, tracing, current)
    return committed
  })
}

const failureOf = (error: unknown): string => {
  if (error instanceof ConflictError) return 'conflict'
  return error instanceof UnavailableError ? 'unavailable' : 'failed'
}

function markedWith(set: ChangeSet, current: SpanContext): ChangeSet {
  const traceparent = traceparentOf(current)
  const puts = set.puts.map(put => {
    const spec = put.spec as OperationSpec
    const isBegun = put.kind === operations && spec.traceId === current.traceId && spec.traceparent === undefined
    return isBegun ? { ...put, spec: { ...spec, traceparent } } : put
  })
  const records = set.records.map(record =>
    record.table === eventsTable ? { ...record, body: { ...(record.body as object), traceparent } } : record,
  )
  return { ...set, puts, records }
}

/** Records the span of an operation that a record tells the end of. */
function recordEnd({ table, body }: RecordDraft, tracing: Tracing, current: SpanContext | undefined): void {
  if (table !== operationsTable) return
  const operation = body as Operation & Pick<OperationSpec, 'traceparent'>
  const { id, type, subject, state, traceparent, traceId, createdAt, endedAt = createdAt } = operation
  // One that was over as soon as it was asked for was never an object that could have kept it.
  const asked = traceparent ? spanOf(traceparent) : current
  if (asked === undefined || asked.traceId !== traceId) return
  tracing.record({
    ...{ traceId, spanId: operationSpanId(id), parentId: asked.spanId, name: `operation ${type}` },
    ...{ start: Date.parse(createdAt), end: Date.parse(endedAt) },
    attributes: { 'stead.operation': id, 'stead.kind': subject.kind, 'stead.id': subject.id, 'stead.state': state },
    failure: state === 'failed' ? state : undefined,
  })
}
