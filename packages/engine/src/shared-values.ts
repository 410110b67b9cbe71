import type { ObjectDraft } from './words/object.ts'

type Shareable = Pick<ObjectDraft, 'organizationId' | 'projectId' | 'createdBy' | 'labels' | 'finalizers'>

/** So many tenants and makers are told apart at once: half a megabyte when all are in use. */
const most = 4_096

const noLabels: Shareable['labels'] = Object.freeze({})
const noFinalizers: Shareable['finalizers'] = Object.freeze([])

/**
 * Values that thousands of objects have in common. Each is read from a text of its own, as a string of its own: of an
 * instance and what belongs to it this was a sixth of the memory.
 */
export class SharedValues {
  readonly #strings = new Map<string, string>()
  readonly #most: number

  constructor(limit = most) {
    this.#most = limit
  }

  get size(): number {
    return this.#strings.size
  }

  string(value: string): string {
    const known = this.#strings.get(value)
    if (known !== undefined) return known
    // Begins anew rather than to keep book of which was used last: the next objects fill it again.
    if (this.#strings.size >= this.#most) this.#strings.clear()
    this.#strings.set(value, value)
    return value
  }

  /** Puts what is shared in the place of what was just read. */
  shareIn<T extends Shareable>(read: T): T {
    const shared = read as { -readonly [Field in keyof Shareable]: Shareable[Field] }
    const { organizationId, projectId, createdBy, labels, finalizers } = shared
    if (organizationId !== undefined) shared.organizationId = this.string(organizationId)
    if (projectId !== undefined) shared.projectId = this.string(projectId)
    if (createdBy !== undefined) shared.createdBy = this.string(createdBy)
    if (isEmpty(labels)) shared.labels = noLabels
    if (finalizers.length === 0) shared.finalizers = noFinalizers
    return read
  }
}

function isEmpty(labels: Shareable['labels']): boolean {
  for (const _ in labels) return false
  return true
}
