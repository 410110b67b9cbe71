import { createReadStream } from 'node:fs'
import { access, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { World } from '@stead/world'
import { Meter, type Received, type Staging, StagingError } from './staging.ts'

/** `<id>.image` is whole; `<id>.<something>.part` is on its way. */
const ownerOf = (file: string): string | undefined => /^([a-z]+_[0-9a-z-]+)\.(?:image|[0-9a-f]+\.part)$/.exec(file)?.[1]

/** Staging in a directory, which all nodes share where there are several. Made when it is first needed. */
export class FileStaging implements Staging {
  readonly #directory: string
  readonly #world: World

  constructor(directory: string, world: World) {
    this.#directory = directory
    this.#world = world
  }

  async put(id: string, content: AsyncIterable<Uint8Array>, check: (received: Received) => void): Promise<Received> {
    // Of its own name: two that bring the same must not write into one file.
    const part = join(this.#directory, `${id}.${Buffer.from(this.#world.randomBytes(8)).toString('hex')}.part`)
    try {
      await mkdir(this.#directory, { recursive: true, mode: 0o700 })
      const received = await write(part, content)
      check(received)
      await rename(part, this.#whole(id))
      return received
    } catch (error) {
      // What cannot be removed now is removed with its image; what went wrong first is what matters.
      await rm(part, { force: true }).catch(() => {})
      throw stagingError(error)
    }
  }

  has(id: string): Promise<boolean> {
    return access(this.#whole(id)).then(
      () => true,
      () => false,
    )
  }

  async *open(id: string, { signal }: { readonly signal?: AbortSignal } = {}): AsyncGenerator<Uint8Array> {
    const stream = createReadStream(this.#whole(id), { highWaterMark: 1_048_576, ...(signal && { signal }) })
    try {
      yield* stream
    } catch (error) {
      throw stagingError(error)
    }
  }

  async remove(id: string): Promise<void> {
    const own = (await this.#files()).filter(file => ownerOf(file) === id)
    await Promise.all(own.map(file => rm(join(this.#directory, file), { force: true })))
  }

  async owners(): Promise<readonly string[]> {
    return [...new Set((await this.#files()).flatMap(file => ownerOf(file) ?? []))]
  }

  #whole(id: string): string {
    return join(this.#directory, `${id}.image`)
  }

  async #files(): Promise<readonly string[]> {
    try {
      return await readdir(this.#directory)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw stagingError(error)
    }
  }
}

async function write(path: string, content: AsyncIterable<Uint8Array>): Promise<Received> {
  const meter = new Meter()
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(meter.through(content))
    await file.sync()
  } finally {
    await file.close()
  }
  return meter.received()
}

/** What the file system says is told apart from what is wrong with the content. */
const stagingError = (error: unknown): unknown =>
  (error as NodeJS.ErrnoException).syscall === undefined
    ? error
    : new StagingError(`staging: ${(error as Error).message}`, { cause: error })
