import { execFile } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { millis, type Timer, type World } from '@stead/world'
import { findProgram, program } from '../machine/programs.ts'
import type { Ids } from '../sandbox/paths.ts'

const run = promisify(execFile)

/** Named pipes that are ready to be used: making some takes a program, and a hundred launches should not wait for it. */
const poolSize = 256
const whenThereIsTime = millis(100)

/** Where everything of a region is, as its supervisor sees it. */
export class Place {
  /** On the disk: `instances`, `images`. In memory and for us alone, when there is any isolation: `stage`. */
  readonly work: string
  readonly #world: World
  readonly #pool: string
  /** Those that are whole: while a row of them is being made, the first ones can be seen already. */
  readonly #ready: string[] = []
  #made = 0
  #filling: Promise<void> | undefined
  #refill: Timer | undefined

  constructor(world: World, work: string) {
    this.#world = world
    this.work = work
    this.#pool = join(work, 'instances', '.pipes')
    rmSync(this.#pool, { recursive: true, force: true })
    mkdirSync(this.#pool, { mode: 0o700 })
  }

  get instances(): string {
    return join(this.work, 'instances')
  }

  get images(): string {
    return join(this.work, 'images')
  }

  get stage(): string {
    return join(this.work, 'stage')
  }

  /** The ids of everything that was ever launched here and is not gone. */
  ids(): string[] {
    return readdirSync(this.instances).filter(name => !name.startsWith('.'))
  }

  instance(id: string, ...parts: readonly string[]): string {
    return join(this.instances, id, ...parts)
  }

  /**
   * Has ext4 put every instance into another part of the disk, if that is what we are on. Otherwise all are put into one, where
   * without a journal it first looks at each file that was removed there in the last minutes: most of the time of a launch,
   * once many have come and gone.
   */
  async spread(): Promise<void> {
    const chattr = findProgram('chattr')
    // Elsewhere there is no such thing, and no need.
    if (chattr) await run(chattr, ['+T', this.instances], { env: {} }).catch(() => {})
  }

  /** Puts a named pipe at this path, unless there is one. */
  async pipe(path: string, owner: Ids | undefined): Promise<void> {
    if (existsSync(path)) return
    let pipe = this.#ready.pop()
    while (pipe === undefined) {
      await this.fillPool()
      pipe = this.#ready.pop()
    }
    renameSync(pipe, path)
    if (owner) chownSync(path, owner.uid, owner.gid)
    this.#refill ??= this.#world.setTimer(whenThereIsTime, () => {
      this.#refill = undefined
      void this.fillPool()
    })
  }

  fillPool(): Promise<void> {
    this.#filling ??= this.#fill().finally(() => {
      this.#filling = undefined
    })
    return this.#filling
  }

  async #fill(): Promise<void> {
    const missing = poolSize - this.#ready.length
    if (missing < poolSize / 2) return
    const paths = Array.from({ length: missing }, () => join(this.#pool, String(++this.#made)))
    await run(program('mkfifo'), ['-m', '0600', ...paths], { env: {} })
    this.#ready.push(...paths)
  }
}
