import type { ProposedToken, TokenKeeper } from '../first-start/first-start.ts'

/** Keeps the admin token where a test can look. */
export class MemoryKeeper implements TokenKeeper {
  confirmed: string | undefined
  #proposed: ProposedToken | undefined

  propose(proposed: ProposedToken): void {
    this.#proposed = proposed
  }

  proposed(): ProposedToken | undefined {
    return this.#proposed
  }

  confirm(token: string): void {
    this.confirmed = token
    this.#proposed = undefined
  }

  withdraw(): void {
    this.#proposed = undefined
  }
}
