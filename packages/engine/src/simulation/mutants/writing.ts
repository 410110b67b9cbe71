import type { EncodedChangeSet } from '../../encoding.ts'
import { type Applied, SqliteWriter } from '../../sqlite/writer.ts'
import type { Sending } from '../../store/certain-commit.ts'
import type { Committed, Expectation } from '../../words/change-set.ts'
import type { Revision } from '../../words/object.ts'
import { SimulatedDatabase, type Written } from '../database.ts'
import { SimulatedStore } from '../store.ts'
import { type Mutant, swap } from './mutant.ts'

class FencingOff extends SqliteWriter {
  protected override checkFence(): undefined {}
}

class RevisionNotChecked extends SqliteWriter {
  protected override checkExpectation(
    expectation: Expectation,
    found: Parameters<SqliteWriter['checkExpectation']>[1],
  ): ReturnType<SqliteWriter['checkExpectation']> {
    return expectation.type === 'revision' ? undefined : super.checkExpectation(expectation, found)
  }
}

class HoleInTheLog extends SqliteWriter {
  protected override nextRevision(): Revision {
    const revision = super.nextRevision()
    return revision % 20 === 0 ? super.nextRevision() : revision
  }
}

class IdForgotten extends SqliteWriter {
  #sendings = 0
  override apply(set: EncodedChangeSet, resent?: boolean): Applied {
    return super.apply({ ...set, id: `${set.id} ${this.#sendings++}` }, resent)
  }
}

class ConflictNotKept extends SqliteWriter {
  override apply(set: EncodedChangeSet): Applied {
    return super.apply(set)
  }
}

class AcknowledgedBeforeSync extends SimulatedDatabase {
  protected override write(batch: readonly Written[]): void {
    for (const { answer } of batch) answer()
    super.write(batch)
  }
}

/** What was not answered is sent again under another id, as somebody would who takes the first for lost. */
class ResentUnderAnotherId extends SimulatedStore {
  protected override send(set: EncodedChangeSet, sending: Sending): Promise<Committed> {
    const isFenced = set.expect.some(expectation => expectation.type === 'fence')
    return super.send(sending.resent && isFenced ? { ...set, id: `${set.id}+` } : set, sending)
  }
}

/** Bugs on the way of a change-set to the disk and back. */
export const writingMutants: readonly Mutant[] = [
  {
    name: 'fencing off',
    parts: { Writer: FencingOff },
    emphasis: { 'node-pause-at-commit': 0.15 },
    caughtBy: ['I6 a fenced-out write never lands'],
  },
  {
    name: 'expectation skipped',
    parts: { Writer: RevisionNotChecked },
    caughtBy: ['expectations hold'],
  },
  {
    name: 'limit not checked',
    install: () => swap(SqliteWriter, 'checkCounters', () => () => undefined),
    caughtBy: ['counters keep their limits'],
  },
  {
    name: 'log hole',
    parts: { Writer: HoleInTheLog },
    caughtBy: ['I5 the log has no holes and watch = log'],
  },
  {
    name: 'change-set id forgotten',
    parts: { Writer: IdForgotten },
    caughtBy: ['applied once', 'refused is refused'],
  },
  {
    name: 'conflict not kept for a resender',
    parts: { Writer: ConflictNotKept },
    emphasis: { 'request-delayed': 0.3 },
    caughtBy: ['refused is refused'],
  },
  {
    name: 'acknowledged before sync',
    parts: { Database: AcknowledgedBeforeSync },
    caughtBy: ['acknowledged is durable'],
  },
  {
    name: 'resent under another id',
    parts: { Store: ResentUnderAnotherId },
    caughtBy: ['refused is refused', 'acknowledged is durable'],
  },
]
