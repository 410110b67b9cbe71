import type { AuditBody } from './model.ts'

interface Slot {
  readonly body: AuditBody
  count: number
}

/** Told one by one within a minute; more of one actor are told as one entry without an object. */
const mostOfOneActor = 20
/** Remembered within a minute; more are told as one entry. Bounds memory. */
const mostSlots = 4_096
/** Addresses that are told one by one each minute, those with the most attempts: 6 GB in 400 days of an unending attack. */
const mostAddresses = 15

/**
 * Denials of known callers. The first of its kind in a minute is told at once; those like it are counted, and told as one
 * at the end of the minute. Who is refused all the time cannot fill the disk.
 */
export class Denials {
  readonly #slots = new Map<string, Slot>()
  readonly #ofActor = new Map<string, number>()

  /** Answers what to tell at once, if anything. */
  note(body: AuditBody): AuditBody | undefined {
    const { actor, action, code, object, organizationId, projectId } = body
    const exact = [actor.id, action, code, organizationId, projectId, object?.id].join('\n')
    const known = this.#slots.get(exact)
    if (known) {
      known.count += 1
      return undefined
    }
    const ofActor = this.#ofActor.get(actor.id) ?? 0
    if (ofActor < mostOfOneActor && this.#slots.size < mostSlots) {
      this.#ofActor.set(actor.id, ofActor + 1)
      this.#slots.set(exact, { body, count: 0 })
      return body
    }
    const { object: _object, ...rest } = body
    this.#fold(ofActor > 0 ? `${actor.id}\nmore` : 'more', ofActor > 0 ? rest : { ...rest, actor: various })
    return undefined
  }

  /** Those that were counted since the last time. */
  drain(): readonly AuditBody[] {
    const counted = [...this.#slots.values()].filter(({ count }) => count > 0)
    this.#slots.clear()
    this.#ofActor.clear()
    return counted.map(({ body, count }) => ({ ...body, count }))
  }

  #fold(key: string, body: AuditBody): void {
    const slot = this.#slots.get(key)
    if (slot) slot.count += 1
    else this.#slots.set(key, { body, count: 1 })
  }
}

const nobodyKnown = { id: 'nobody', type: 'nobody', name: 'nobody' }
const various = { id: 'various', type: 'various', name: 'various' }

/** Names that were tried from one address, told one by one; further ones are told as attempts from there. */
const mostNames = 5

/**
 * Attempts without a valid credential, counted by where they came from and the name that was tried: one entry for each
 * of those a minute.
 */
export class Strangers {
  readonly #slots = new Map<string, Slot>()
  readonly #namesFrom = new Map<string, Set<string>>()

  note(body: AuditBody): void {
    const told = this.#mayName(body) ? body : { ...body, actor: nobodyKnown }
    const key = `${told.from.address}\n${told.actor.name}`
    const known = this.#slots.get(key)
    if (known) known.count += 1
    else if (this.#slots.size < mostSlots) this.#slots.set(key, { body: told, count: 1 })
    else this.#others(told).count += 1
  }

  drain(): readonly AuditBody[] {
    const busiest = [...this.#slots.values()].sort((a, b) => b.count - a.count)
    this.#slots.clear()
    this.#namesFrom.clear()
    const told = busiest.slice(0, mostAddresses).map(({ body, count }) => ({ ...body, count }))
    const rest = busiest.slice(mostAddresses)
    if (rest.length === 0) return told
    const count = rest.reduce((sum, slot) => sum + slot.count, 0)
    return [...told, { ...rest[0]!.body, actor: nobodyKnown, from: { address: `${rest.length} others` }, count }]
  }

  #mayName({ actor, from }: AuditBody): boolean {
    const names = this.#namesFrom.get(from.address) ?? new Set()
    if (names.has(actor.name)) return true
    if (names.size >= mostNames || this.#slots.size >= mostSlots) return false
    this.#namesFrom.set(from.address, names.add(actor.name))
    return true
  }

  #others(body: AuditBody): Slot {
    const slot = this.#slots.get('others') ?? {
      body: { ...body, actor: nobodyKnown, from: { address: 'others' } },
      count: 0,
    }
    this.#slots.set('others', slot)
    return slot
  }
}
