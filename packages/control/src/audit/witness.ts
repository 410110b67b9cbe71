import type { ChangeSet, ObjectDraft, RecordDraft, View } from '@stead/engine'
import { type Duration, minutes, type Timer } from '@stead/world'
import { addressGroup } from '../door/rate-limit.ts'
import { type Route, routeName } from '../door/route.ts'
import type { Act, Closing, Ending, Witness } from '../door/witness.ts'
import { holdsSecrets } from '../schema/secret.ts'
import { actionOf, isSensitive } from './action.ts'
import { type AuditedKind, Changes, mostObjects } from './changes.ts'
import { type AuditBody, auditRecords } from './model.ts'
import { Denials, Strangers } from './noise.ts'
import { AuditWriter, type AuditWriterOptions } from './writer.ts'

export interface AuditOptions extends AuditWriterOptions {
  readonly everything: View
  /** What callers know of the objects they change. */
  readonly kinds: readonly AuditedKind[]
}

/** What is refused again and again is told once for so long. */
const window: Duration = minutes(1)

/** Writes down who did what: changes together with what they change, the rest soon after. */
export class Audit implements Witness {
  readonly #options: AuditOptions
  readonly #changes: Changes
  readonly #writer: AuditWriter
  readonly #denials = new Denials()
  readonly #strangers = new Strangers()
  #timer: Timer | undefined

  constructor(options: AuditOptions) {
    this.#options = options
    this.#changes = new Changes(options.kinds)
    this.#writer = new AuditWriter(options)
  }

  ofChange(act: Act, changeSet: ChangeSet): readonly RecordDraft[] {
    const { everything } = this.#options
    const changed = this.#changes.of(changeSet, everything).slice(0, mostObjects)
    const object = this.#targetOf(act) ?? this.#firstOf(changeSet, changed[0]?.id)
    return auditRecords({
      ...bodyOf(act, object),
      ...(changed.length > 0 && { changed: [...changed] }),
      result: 'done',
    })
  }

  ended(act: Act, { status, code, isDenied, hasChanged }: Ending): void {
    if (!isDenied) {
      if (status < 400 && !hasChanged && isTold(act.route))
        this.#writer.write({ ...bodyOf(act, this.#targetOf(act)), result: 'done' })
      return
    }
    const body: AuditBody = { ...bodyOf(act, this.#targetOf(act)), result: 'denied', ...(code && { code }) }
    this.#timer ??= this.#options.world.setTimer(window, () => this.#settle())
    if (act.caller.type === 'nobody') this.#strangers.note(anonymous(body, act.tried))
    else this.#writer.write(...[this.#denials.note(body)].filter(told => told !== undefined))
  }

  closed(act: Act, ended: Closing): void {
    this.#writer.write({ ...bodyOf(act, this.#targetOf(act)), result: 'done', ended })
  }

  /** Writes what was counted and what waits. */
  async close(): Promise<void> {
    this.#settle()
    await this.#writer.close()
  }

  #settle(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#writer.write(...this.#denials.drain(), ...this.#strangers.drain())
  }

  #targetOf({ route, targetId, deed }: Act): ObjectDraft<unknown, unknown> | undefined {
    if (deed) return deed.object
    if (!route.target || targetId === undefined) return undefined
    return this.#options.everything.get(route.target.kind, targetId)
  }

  #firstOf({ puts }: ChangeSet, id: string | undefined): ObjectDraft<unknown, unknown> | undefined {
    return puts.find(put => put.id === id)
  }
}

/** Everything but how it ended. */
function bodyOf(
  { route, caller, place, deed, address, userAgent, traceId }: Act,
  object: ObjectDraft<unknown, unknown> | undefined,
): Omit<AuditBody, 'result'> {
  const { principalId: id, type, displayName: name, credentialId: credential } = caller
  const organizationId = place.type === 'platform' ? object?.organizationId : place.organizationId
  const projectId = place.type === 'project' ? place.projectId : object?.projectId
  return {
    actor: { id, type, name, ...(type !== 'nobody' && { credential }) },
    action: deed?.action ?? actionOf(route),
    request: routeName(route),
    ...(organizationId !== undefined && { organizationId }),
    ...(projectId !== undefined && { projectId }),
    ...(object && { object: namesOf(object) }),
    from: { address, ...(userAgent !== undefined && { userAgent }) },
    traceId,
    count: 1,
  }
}

const namesOf = ({ kind, id, name }: ObjectDraft<unknown, unknown>) => ({
  kind,
  id,
  ...(name !== undefined && { name }),
})

/**
 * Of a stranger no more is told than from where they came, and the name under which they tried to come in: all else is
 * theirs to make up.
 */
function anonymous(
  { actor, action, request, result, code, from, count }: AuditBody,
  tried: string | undefined,
): AuditBody {
  const rest = { action, result, ...(code && { code }), from: { address: addressGroup(from.address) }, count }
  return tried === undefined
    ? { actor, request: 'various', ...rest }
    : { actor: { ...actor, name: tried }, request, ...rest }
}

const told = new WeakMap<Route, boolean>()

/** Whether a route is told of even when it changes nothing; asked of every request, found out once. */
function isTold(route: Route): boolean {
  const known = told.get(route) ?? isSensitive(route, Object.values(route.replies).some(holdsSecrets))
  told.set(route, known)
  return known
}
