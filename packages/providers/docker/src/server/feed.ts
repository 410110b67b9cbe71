import { isDeepStrictEqual } from 'node:util'
import type { ServerInfo, WatchEvent } from '@stead/provider-kit'

/** How many changes are kept for those who lost the connection. */
const kept = 10_000

type Change = Extract<WatchEvent, { type: 'change' }>

/** What became of every server, in order, and for a while. */
export class Feed {
  /** Cursors of another process mean nothing here. */
  readonly #name: string
  readonly #changes: Change[] = []
  readonly #last = new Map<string, ServerInfo>()
  readonly #listeners = new Set<() => void>()
  #number = 0

  constructor(name: string) {
    this.#name = name
  }

  /** Tells of a server, when it is another than before; undefined when it is gone. */
  publish(id: string, server: ServerInfo | undefined): void {
    const before = this.#last.get(id)
    if (isDeepStrictEqual(before, server)) return
    if (server) this.#last.set(id, server)
    else this.#last.delete(id)
    this.#changes.push({ type: 'change', id, server, cursor: `${this.#name}.${++this.#number}` })
    if (this.#changes.length > kept) this.#changes.shift()
    for (const listener of [...this.#listeners]) listener()
  }

  get cursor(): string {
    return `${this.#name}.${this.#number}`
  }

  /** The changes after a cursor; undefined when they are no longer all there. */
  after(cursor: string): readonly Change[] | undefined {
    const [name, digits] = [cursor.slice(0, cursor.lastIndexOf('.')), cursor.slice(cursor.lastIndexOf('.') + 1)]
    const missing = this.#number - Number(digits)
    if (name !== this.#name || !(missing >= 0) || missing > this.#changes.length) return undefined
    return missing === 0 ? [] : this.#changes.slice(-missing)
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Waits for the next change of anything. */
  next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = () => {
        stop()
        signal.removeEventListener('abort', abort)
      }
      const abort = () => {
        done()
        reject(signal.reason)
      }
      const stop = this.onChange(() => {
        done()
        resolve()
      })
      if (signal.aborted) return abort()
      signal.addEventListener('abort', abort, { once: true })
    })
  }
}
