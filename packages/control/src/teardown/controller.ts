import {
  again,
  type ChangeSetBuilder,
  type Controller,
  changeSet,
  controller,
  done,
  type ReconcileContext,
  type Result,
  type StoredObject,
  setCondition,
  type View,
  type Wake,
} from '@stead/engine'
import { minutes } from '@stead/world'
import { release } from '../quotas/charge.ts'
import { decideTeardown } from './decide.ts'
import type { EndingStatus, Part, Whole } from './model.ts'

const condition = 'Ending'

type Ending = StoredObject<unknown, EndingStatus>

/** Ends wholes that are marked as deleted: their parts first, in order, then they themselves with their keys. */
export function teardownController(whole: Whole): Controller {
  return controller<Ending>({
    name: `${whole.kind}-teardown`,
    kind: whole.kind,
    wakes: whole.parts.map(part => wakeOf(whole, part)),
    async reconcile(object, context) {
      for (;;) {
        const result = await step(whole, object, context)
        if (result) return result
      }
    },
  })
}

/** A part that changes wakes its whole only when that waits for it. */
const wakeOf = (whole: Whole, part: Part): Wake => ({
  kind: part.kind,
  keys({ object }, { cache }) {
    const id = part.wholeOf(object)
    return id !== undefined && cache.get(whole.kind, id)?.deletedAt !== undefined ? [id] : []
  },
})

/** One change-set on the way; undefined when there may be more to do at once. */
async function step(whole: Whole, { id }: Ending, context: ReconcileContext): Promise<Result | undefined> {
  const { cache, world } = context
  const object = cache.get<Ending>(whole.kind, id)
  if (!object) return done
  const left = whole.parts.map(part => ({ part, objects: part.find(cache, object) }))
  const decision = decideTeardown({ whole: object, left, strangers: strangersIn(whole, cache, object) })
  switch (decision.type) {
    case 'nothing':
      return done
    case 'end': {
      const set = changeSet(world)
      for (const part of decision.objects) endPart(set, decision.part, part, context)
      await context.commit(set)
      return undefined
    }
    case 'wait': {
      const { reason, message } = decision
      const conditions = setCondition(
        object.status.conditions,
        { type: condition, status: 'false', reason, message },
        world.now(),
      )
      if (conditions !== object.status.conditions)
        await context.commit(changeSet(world).update(object, { status: { ...object.status, conditions } }))
      // Kinds that are no part wake nobody.
      return reason === 'UnknownParts' ? again(minutes(1), message) : done
    }
    case 'forget': {
      const set = changeSet(world).remove(object)
      release(set, cache, object)
      for (const key of whole.keys(object)) set.release(key, object.id)
      await context.commit(set)
      return done
    }
  }
}

function endPart(
  set: ChangeSetBuilder,
  part: Part,
  object: StoredObject,
  { cache, world }: Pick<ReconcileContext, 'cache' | 'world'>,
): void {
  if (part.end === 'mark') {
    // What the whole was told, its parts are told: they have parts of their own.
    set.update(object, { deletedAt: world.now(), status: { ...object.status, cascade: true } as EndingStatus })
    return
  }
  set.remove(object)
  release(set, cache, object)
  for (const key of part.keys?.(object) ?? []) set.release(key, object.id)
}

function strangersIn({ kind, parts, inside }: Whole, everything: View, object: StoredObject): readonly string[] {
  const known = new Set([kind, ...parts.map(part => part.kind)])
  return (
    inside?.(everything, object)
      .kinds()
      .filter(each => !known.has(each)) ?? []
  )
}
