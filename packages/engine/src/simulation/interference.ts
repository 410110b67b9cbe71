import type { EncodedChangeSet } from '../encoding.ts'
import { refKey } from '../words/object.ts'
import type { Ledger } from './ledger.ts'

/** How a change-set of this origin is recognised: no controller wrote it, so it carries no fence. */
export const interferencePrefix = 'interference_'

/**
 * What somebody else might write just before this change-set is applied: a label on one of the objects it is about.
 * Labels mean nothing to the example, so the end state stays the same; the revision moves, and the change-set fails.
 */
export function interferingWrite(set: EncodedChangeSet, ledger: Ledger): EncodedChangeSet | undefined {
  const expectation = set.expect.find(each => each.type === 'revision')
  const object = expectation && ledger.objects.get(refKey(expectation.ref))
  if (!expectation || !object || object.revision !== expectation.revision) return undefined
  const { kind, id, spec } = object
  const rest = JSON.parse(object.rest) as { labels: Record<string, string> }
  const labels = { ...rest.labels, touched: String(object.revision) }
  return {
    id: `${interferencePrefix}${set.id}`,
    expect: [expectation],
    puts: [{ kind, id, spec, rest: JSON.stringify({ ...rest, labels }) }],
    removes: [],
    takes: [],
    releases: [],
    moves: [],
    limits: [],
    records: [],
    blobs: [],
    dropBlobs: [],
  }
}
