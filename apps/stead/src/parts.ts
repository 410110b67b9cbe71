/** Something the running program is made of: it may be unable to serve for a while, and is closed at the end. */
export interface Part {
  readonly name: string
  /** Why it cannot serve now; undefined when it can. */
  problem?(): string | undefined
  close?(): Promise<void>
}

/** The parts in the order they were opened. What uses another is opened after it, and closed before it. */
export class Parts {
  readonly #parts: Part[] = []

  add(part: Part): void {
    this.#parts.push(part)
  }

  /** Every part that cannot serve now, and why. Empty: ready. */
  problems(): readonly { readonly part: string; readonly problem: string }[] {
    return this.#parts.flatMap(part => {
      const problem = part.problem?.()
      return problem === undefined ? [] : [{ part: part.name, problem }]
    })
  }

  /** Closes all of them, the last opened first, even when one fails to; then throws what went wrong. */
  async close(): Promise<void> {
    const errors: unknown[] = []
    for (let part = this.#parts.pop(); part; part = this.#parts.pop()) {
      try {
        await part.close?.()
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length === 1) throw errors[0]
    if (errors.length > 1) throw new AggregateError(errors, 'several parts could not be closed')
  }
}
