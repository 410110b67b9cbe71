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
import type { Tell } from '../audit/deeds.ts'
import { appendEvent } from '../events/model.ts'
import { nameOfPrincipal, principalOf } from '../identity/principals.ts'
import { release } from '../quotas/charge.ts'
import { decideTeardown } from './decide.ts'
import type { EndingStatus, Part, Whole } from './model.ts'

const condition = 'Ending'

type Ending = StoredObject<unknown, EndingStatus>

/** Ends wholes that are marked as deleted: their parts first, in order, then they themselves with their keys. */
export function teardownController(whole: Whole, tell: Tell): Controller {
  return controller<Ending>({
    name: nameOf(whole),
    kind: whole.kind,
    wakes: partWakes(whole),
    async reconcile({ id }, context) {
      const ends = { whole, tell }
      const ended = await endParts(ends, id, context)
      if ('type' in ended) return ended
      const { world, cache } = context
      await context.commit(forget(changeSet(world), ends, ended.object, cache))
      return done
    },
  })
}

const nameOf = ({ kind }: Whole) => `${kind}-teardown`

/** A whole, and who writes down what is done to end it. */
export interface Ends {
  readonly whole: Whole
  readonly tell: Tell
}

/** Parts that change wake their whole. */
export const partWakes = (whole: Whole): readonly Wake[] => whole.parts.map(part => wakeOf(whole, part))

/** Ends everything that goes before a whole that is marked as deleted: answers it once nothing is left in its way. */
export async function endParts<T extends Ending>(
  ends: Ends,
  id: string,
  context: ReconcileContext,
): Promise<Result | { readonly object: T }> {
  for (;;) {
    const object = context.cache.get<T>(ends.whole.kind, id)
    if (!object) return done
    const result = await step(ends, object, context)
    if (result) return result === 'ended' ? { object } : result
  }
}

/** Removes a whole that has nothing left in its way, with its charge, its keys and what else goes with it. */
export function forget(
  set: ChangeSetBuilder,
  { whole, tell }: Ends,
  object: Ending,
  everything: View,
): ChangeSetBuilder {
  set.remove(object)
  release(set, everything, object)
  for (const key of whole.keys(object)) set.release(key, object.id)
  whole.besides?.(set, everything, object)
  appendEvent(set, object, { reason: 'Destroyed', message: 'nothing is left of it' })
  tell(set, { ...deedOf(whole, object), action: `${whole.kind}s:delete` }, everything)
  return set
}

const deedOf = (whole: Whole, object: Ending) => ({
  controller: nameOf(whole),
  object,
  onBehalfOf: object.status.deletedBy,
})

/** A part that changes wakes its whole only when that waits for it. */
const wakeOf = (whole: Whole, part: Part): Wake => ({
  kind: part.kind,
  keys({ object }, { cache }) {
    const ids = part.wholeOf(object) ?? []
    const isEnding = (id: string) => cache.get(whole.kind, id)?.deletedAt !== undefined
    if (typeof ids === 'string') return isEnding(ids) ? [ids] : []
    return ids.filter(isEnding)
  },
})

/** One change-set on the way; undefined when there may be more to do at once. */
async function step(
  { whole, tell }: Ends,
  object: Ending,
  context: ReconcileContext,
): Promise<Result | 'ended' | undefined> {
  const { cache, world } = context
  const left = whole.parts.map(part => ({ part, objects: part.find(cache, object) }))
  const decision = decideTeardown({ whole: object, left, strangers: strangersIn(whole, cache, object) })
  switch (decision.type) {
    case 'nothing':
      return done
    case 'end': {
      const set = changeSet(world)
      for (const part of decision.objects) endPart(set, decision.part, part, { cache, world, whole: object })
      tell(set, { ...deedOf(whole, object), action: `${decision.part.noun}:delete` }, cache)
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
    case 'forget':
      return 'ended'
  }
}

function endPart(
  set: ChangeSetBuilder,
  part: Part,
  object: StoredObject,
  { cache, world, whole }: Pick<ReconcileContext, 'cache' | 'world'> & { readonly whole: Ending },
): void {
  if (part.end === 'mark') {
    const { deletedBy } = whole.status
    // What the whole was told, its parts are told: they have parts of their own.
    const told = { cascade: true, ...(deletedBy !== undefined && { deletedBy }) }
    set.update(object, { deletedAt: world.now(), status: { ...object.status, ...told } as EndingStatus })
    const message = `with the ${whole.kind} ${whole.name ?? whole.id}${byWhom(cache, deletedBy)}`
    appendEvent(set, object, { reason: 'DeleteRequested', message })
    return
  }
  set.remove(object)
  release(set, cache, object)
  for (const key of part.keys?.(object) ?? []) set.release(key, object.id)
}

function byWhom(everything: View, id: string | undefined): string {
  if (id === undefined) return ''
  const principal = principalOf(everything, id)
  return `, by ${principal ? nameOfPrincipal(principal) : id}`
}

function strangersIn({ kind, parts, inside }: Whole, everything: View, object: StoredObject): readonly string[] {
  const known = new Set([kind, ...parts.map(part => part.kind)])
  return (
    inside?.(everything, object)
      .kinds()
      .filter(each => !known.has(each)) ?? []
  )
}
