/** Something on an agenda. */
export interface Appointment<T> {
  readonly due: number
  readonly item: T
}

interface Slot<T> extends Appointment<T> {
  readonly tie: number
  readonly sequence: number
  /** Where it is in the heap; -1 once it is off the agenda. */
  place: number
}

/**
 * Things to do, ordered by when. A binary heap in which every entry knows its place, so that crossing one off costs
 * O(log n) and nothing is left behind: most deadlines are crossed off long before they are due.
 */
export class Agenda<T> {
  readonly #heap: Slot<T>[] = []
  #sequence = 0

  get size(): number {
    return this.#heap.length
  }

  /** Among those due at the same moment the smaller `tie` comes first, then the one that was added first. */
  add(due: number, item: T, tie = 0): Appointment<T> {
    const slot: Slot<T> = { due, item, tie, sequence: this.#sequence++, place: this.#heap.length }
    this.#heap.push(slot)
    this.#up(slot)
    return slot
  }

  first(): Appointment<T> | undefined {
    return this.#heap[0]
  }

  /** Crosses off the first one if it is due. */
  takeDue(now: number): Appointment<T> | undefined {
    const slot = this.#heap[0]
    if (!slot || slot.due > now) return undefined
    this.#removeAt(0)
    return slot
  }

  /** Crosses off one that `add` answered; false when it was off already. */
  remove(appointment: Appointment<T>): boolean {
    const { place } = appointment as Slot<T>
    if (place < 0) return false
    this.#removeAt(place)
    return true
  }

  removeIf(unwanted: (item: T) => boolean): void {
    for (const slot of this.#heap.filter(({ item }) => unwanted(item))) this.remove(slot)
  }

  #removeAt(place: number): void {
    const gone = this.#heap[place]!
    const last = this.#heap.pop()!
    gone.place = -1
    if (last === gone) return
    this.#put(last, place)
    this.#up(last)
    this.#down(last)
  }

  #put(slot: Slot<T>, place: number): void {
    this.#heap[place] = slot
    slot.place = place
  }

  #up(slot: Slot<T>): void {
    while (slot.place > 0) {
      const parent = this.#heap[(slot.place - 1) >> 1]!
      if (before(parent, slot)) return
      const place = parent.place
      this.#put(parent, slot.place)
      this.#put(slot, place)
    }
  }

  #down(slot: Slot<T>): void {
    for (;;) {
      const left = this.#heap[2 * slot.place + 1]
      const right = this.#heap[2 * slot.place + 2]
      const child = left && right && before(right, left) ? right : left
      if (!child || before(slot, child)) return
      const place = child.place
      this.#put(child, slot.place)
      this.#put(slot, place)
    }
  }
}

function before(a: Slot<unknown>, b: Slot<unknown>): boolean {
  if (a.due !== b.due) return a.due < b.due
  return a.tie !== b.tie ? a.tie < b.tie : a.sequence < b.sequence
}
