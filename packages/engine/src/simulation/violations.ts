/** What must hold at every step of every run, whatever the engine is used for. Those with a number are DESIGN's. */
export const engineInvariants = {
  'I5 the log has no holes and watch = log': 'a revision is missing, repeated or not what was committed',
  'I6 a fenced-out write never lands': 'a change-set applied whose fence was no longer current, or without one',
  'counters keep their limits': 'a counter went up past its limit or below zero',
  'acknowledged is durable': 'a commit was acknowledged and is not in the store',
  'refused is refused': 'a commit was answered with a conflict and applied all the same',
  'applied once': 'a change-set applied twice',
  'expectations hold': 'a change-set applied although something it expected was not so, or failed for no reason',
  'one run per key': 'a key was reconciled twice at once, or by a node that does not hold its shard',
  'a lease lasts as long as it is believed in': 'a node takes a shard for its own after the database has let it go',
  'a new holder has read all': 'a key was reconciled by what was known before its shard changed hands',
  'own writes are read': 'a node answered a read with something older than the reader already knew',
  'ready is current': 'a node says that it is ready and lacks what was committed long ago',
  'everything ends': 'after the faults stopped, the system did not come to rest in time',
  'rest is rest': 'the log still grew after everything had come to rest',
  'end equals undisturbed': 'the end state differs from that of the same run without faults',
  'no bug surfaces': 'something threw that should not have',
} as const

export type EngineInvariant = keyof typeof engineInvariants

export interface Violation<Name extends string = string> {
  readonly invariant: Name
  readonly detail: string
}

/** Where a violation is told. */
export interface Watch<Name extends string> {
  add(invariant: Name, detail: string): void
  check(holds: boolean, invariant: Name, detail: () => string): void
}

/** Keeps the first violation: what follows from it would only hide it. */
export class Violations<Name extends string> implements Watch<Name> {
  #first: Violation<Name> | undefined

  get first(): Violation<Name> | undefined {
    return this.#first
  }

  add(invariant: Name, detail: string): void {
    this.#first ??= { invariant, detail }
  }

  check(holds: boolean, invariant: Name, detail: () => string): void {
    if (!holds) this.add(invariant, detail())
  }
}
