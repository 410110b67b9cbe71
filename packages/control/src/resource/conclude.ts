import { type BaseStatus, type ChangeSetBuilder, changeSet, type ObjectDraft, type StoredObject } from '@stead/engine'
import type { Static, TSchema } from 'typebox'
import { created, ok } from '../door/replies.ts'
import type { Reply } from '../door/route.ts'
import type { Services } from '../door/services.ts'
import { appendEvent } from '../events/model.ts'
import type { PatchValue } from './bodies.ts'
import type { Presented } from './present.ts'
import type { Resource } from './resource.ts'
import { type Patched, patched } from './write.ts'

/** Fields that an event names: somebody may change a thousand labels at once. */
const mostNamed = 10

interface Shown<Spec, Status> {
  present(object: StoredObject<Spec, Status>): Presented
}

/** What else belongs in the same change-set. */
type Besides = (set: ChangeSetBuilder) => unknown

/** Commits a new object and answers with it. */
export function concludeCreate<Spec, Status extends BaseStatus>(
  { world, conclude }: Services,
  resource: Shown<Spec, Status>,
  draft: ObjectDraft<Spec, Status>,
  besides?: Besides,
): Promise<Reply> {
  const set = changeSet(world).create(draft)
  besides?.(set)
  return conclude(set, outcome => created(resource, outcome.object(draft)))
}

/** Commits a change of an object and answers with it as it then is. */
export function concludeUpdate<Spec, Status extends BaseStatus>(
  { world, conclude }: Services,
  resource: Shown<Spec, Status>,
  { from, to, reply = ok }: Update<Spec, Status>,
  besides?: Besides,
): Promise<Reply> {
  const set = changeSet(world).expectRevision(from, from.revision)
  set.puts.push(to)
  besides?.(set)
  return conclude(set, outcome => reply(resource, outcome.object(to)))
}

export interface Update<Spec, Status> {
  readonly from: StoredObject<Spec, Status>
  readonly to: ObjectDraft<Spec, Status>
  readonly reply?: typeof ok
}

/**
 * Commits a merge patch of an object; one that changes nothing writes nothing. `check` throws for what the object's own
 * schema cannot say.
 */
export async function concludePatch<Spec extends TSchema, Status extends BaseStatus>(
  services: Services,
  resource: Resource<Spec, Status>,
  { target, body }: { readonly target: StoredObject<Static<Spec>, Status>; readonly body: PatchValue },
  check?: (after: Patched<Static<Spec>>) => void,
): Promise<Reply> {
  const changed = patched(resource, target, body)
  const { changes, changed: _, ...after } = changed
  if (changes.length === 0) return ok(resource, target)
  check?.(changed)
  const { displayName: _displayName, generation: _generation, revision: _revision, ...rest } = target
  const to = { ...rest, ...after }
  // Which fields, and not to what: an event is read by more people than some fields are.
  const named = changes.slice(0, mostNamed).map(({ path }) => path)
  const message = `changed: ${named.join(', ')}${changes.length > mostNamed ? ' and more' : ''}`
  return concludeUpdate(services, resource, { from: target, to }, set =>
    appendEvent(set, to, { reason: 'Updated', message }),
  )
}
