import { sameLabels } from '../cache/shelf.ts'
import { changeSet } from '../change-set-builder.ts'
import { clearCondition, setCondition } from '../words/condition.ts'
import type { StoredObject } from '../words/object.ts'
import type { Result } from '../words/result.ts'
import type { ReconcileRun } from './reconcile-run.ts'

/** What an object was when it was parked, as far as a user can change it. */
interface ParkedAs {
  readonly generation: number
  readonly labels: StoredObject['labels']
  readonly deletedAt: StoredObject['deletedAt']
  readonly observeOnly: boolean
}

/** Keys that wait for a change and for nothing else. In memory: after a restart each is looked at once more. */
export class ParkedKeys {
  private readonly parked = new Map<string, ParkedAs>()

  get size(): number {
    return this.parked.size
  }

  ids(): IterableIterator<string> {
    return this.parked.keys()
  }

  add({ id, generation, labels, deletedAt }: StoredObject, observeOnly: boolean): void {
    this.parked.set(id, { generation, labels, deletedAt, observeOnly })
  }

  delete(id: string): void {
    this.parked.delete(id)
  }

  drop(unwanted: (id: string) => boolean): void {
    for (const id of this.parked.keys()) if (unwanted(id)) this.parked.delete(id)
  }

  /** Whether it is parked and nothing has happened since that could help. */
  isAsleep({ id, generation, labels, deletedAt }: StoredObject): boolean {
    const then = this.parked.get(id)
    return (
      then !== undefined &&
      then.generation === generation &&
      then.deletedAt === deletedAt &&
      sameLabels(then.labels, labels)
    )
  }

  /** Those that were parked while the store only observed. */
  duringObservation(): readonly string[] {
    return [...this.parked].filter(([, { observeOnly }]) => observeOnly).map(([id]) => id)
  }
}

/** Shows on the object whether it is parked and why. Writes only what changes; nothing when the object is gone. */
export async function showParked(
  run: ReconcileRun,
  object: StoredObject | undefined,
  result: Result,
  conditionType: string,
): Promise<void> {
  if (!object) return
  const before = object.status.conditions
  const conditions =
    result.type === 'park'
      ? setCondition(
          before,
          { type: conditionType, status: 'true', reason: result.reason, message: result.message },
          run.world.now(),
        )
      : clearCondition(before, conditionType)
  if (conditions === before || (before === undefined && conditions.length === 0)) return
  await run.commit(changeSet(run.world).update(object, { status: { ...object.status, conditions } }))
}
