/** How many imports one node fetches at once. */
const most = 8
/** A project with many slow sources must not keep the others from theirs. */
const mostPerProject = 2

/** Whose turn it is to fetch. Who has to wait comes again later, and holds up nobody meanwhile. */
export class Turns {
  readonly #running = new Map<string, number>()
  #total = 0

  /** Takes a turn, if there is one; gives it back with what it answers. */
  take(projectId: string): (() => void) | undefined {
    const own = this.#running.get(projectId) ?? 0
    if (this.#total >= most || own >= mostPerProject) return undefined
    this.#move(projectId, 1)
    return () => this.#move(projectId, -1)
  }

  #move(projectId: string, by: number): void {
    this.#total += by
    const own = (this.#running.get(projectId) ?? 0) + by
    if (own === 0) this.#running.delete(projectId)
    else this.#running.set(projectId, own)
  }
}
