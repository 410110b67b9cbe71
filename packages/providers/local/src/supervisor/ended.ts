import { writeFileSync } from 'node:fs'
import { days, type Instant, type World } from '@stead/world'
import { appendLine, readLines, syncAll } from './durable.ts'

interface Tombstone {
  readonly id: string
  readonly at: Instant
}

/** Longer than any call is under way, and than a control plane is down without somebody noticing. */
const remembered = days(7)
/** 100 bytes each. Past this the first are forgotten. */
const most = 10_000

/**
 * What was terminated here. An id is made of the token of its launch: a launch that comes late, or is sent again by somebody
 * who missed the end, must not bring it back.
 */
export class Ended {
  readonly #world: World
  readonly #path: string
  readonly #at = new Map<string, Instant>()

  constructor(world: World, path: string) {
    this.#world = world
    this.#path = path
    writeFileSync(path, '', { flag: 'a', mode: 0o600 })
    for (const { id, at } of readLines(this.#path) as Tombstone[]) this.#at.set(id, at)
    this.#tidy()
  }

  has(id: string): boolean {
    const at = this.#at.get(id)
    return at !== undefined && this.#world.now() - at < remembered
  }

  /** Resolves when it is on the disk: nothing of the instance is removed before. */
  async add(id: string): Promise<void> {
    const at = this.#world.now()
    this.#at.set(id, at)
    appendLine(this.#path, { id, at })
    if (this.#at.size > 2 * most) this.#tidy()
    await syncAll([this.#path])
  }

  /** Writes anew what is still remembered, if anything is not. */
  #tidy(): void {
    const all = [...this.#at]
    const fresh = all.filter(([id]) => this.has(id)).slice(-most)
    if (fresh.length === all.length) return
    this.#at.clear()
    writeFileSync(this.#path, '')
    for (const [id, at] of fresh) {
      this.#at.set(id, at)
      appendLine(this.#path, { id, at })
    }
  }
}
