import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { mkdir, mkdtemp, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { type ImageInfo, type ImageSpec, ProviderError } from '@stead/provider-kit'
import { program } from '../machine/programs.ts'
import type { Ids } from '../sandbox/paths.ts'
import { readWhole, syncAll, writeWhole } from '../supervisor/durable.ts'
import { extract } from './extract.ts'

const run = promisify(execFile)

export interface KeptImage {
  readonly info: ImageInfo
  readonly fingerprint: string
}

/** The images of a region: one directory each, with what is said of it and its files. */
export class Images {
  readonly #directory: string

  constructor(directory: string) {
    this.#directory = directory
  }

  has(id: string): boolean {
    return isId(id) && existsSync(this.#path(id, 'image.json'))
  }

  read(id: string): KeptImage {
    if (!this.has(id)) throw new ProviderError('NotFound', `there is no image ${id}`)
    return readWhole(this.#path(id, 'image.json')) as KeptImage
  }

  async all(): Promise<KeptImage[]> {
    const names = (await readdir(this.#directory)).filter(name => this.has(name))
    return names.map(name => this.read(name))
  }

  /** Brings one in: all of it is there, or nothing is. */
  async add(kept: KeptImage, spec: Pick<ImageSpec, 'open' | 'sizeBytes' | 'sha256'>): Promise<void> {
    await this.#make(kept, async draft => {
      const archive = join(draft, 'archive')
      await receive(spec, archive)
      await extract(await unpacked(archive), join(draft, 'root'))
      await rm(archive)
    })
  }

  /** Makes one of what a service has on its disk. */
  async capture(kept: KeptImage, archive: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#make(kept, draft => extract(archive, join(draft, 'root')))
  }

  async #make(kept: KeptImage, fill: (draft: string) => Promise<void>): Promise<void> {
    const draft = await mkdtemp(join(this.#directory, '.draft-'))
    try {
      await mkdir(join(draft, 'root'), { mode: 0o755 })
      await fill(draft)
      writeWhole(join(draft, 'image.json'), kept)
      await syncAll([join(draft, 'image.json'), draft])
      await rename(draft, this.#path(kept.info.id)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
        throw new ProviderError('Conflict', `image ${kept.info.id} is there already`, { cause: error })
      })
    } finally {
      await rm(draft, { recursive: true, force: true })
    }
  }

  async remove(id: string): Promise<void> {
    const gone = join(this.#directory, `.gone-${id}`)
    await rename(this.#path(id), gone)
    await rm(gone, { recursive: true })
  }

  /** Gives a service its own copy, which it keeps. Shared blocks where the file system can share them. */
  async unpack(id: string, root: string, owner: Ids | undefined): Promise<void> {
    if (existsSync(root)) return
    if (!this.has(id)) throw new ProviderError('InvalidConfig', `there is no image ${id}`)
    const draft = `${root}.draft`
    await rm(draft, { recursive: true, force: true })
    await run(program('cp'), ['-a', '--reflink=auto', '--', this.#path(id, 'root'), draft])
    if (owner) await run(program('chown'), ['-hR', `${owner.uid}:${owner.gid}`, '--', draft])
    await rename(draft, root)
  }

  #path(id: string, ...parts: readonly string[]): string {
    return join(this.#directory, id, ...parts)
  }
}

/** An id is a name in a directory: one that comes from outside must not walk through the file system. */
export const isId = (id: string): boolean => /^[a-z]+_[0-9a-f]{24}$/.test(id)

async function receive(spec: Pick<ImageSpec, 'open' | 'sizeBytes' | 'sha256'>, path: string): Promise<void> {
  const hash = createHash('sha256')
  let size = 0
  const file = await open(path, 'wx', 0o600)
  try {
    for await (const chunk of spec.open()) {
      size += chunk.length
      if (size > spec.sizeBytes) break
      hash.update(chunk)
      await file.write(chunk)
    }
  } finally {
    await file.close()
  }
  if (size !== spec.sizeBytes || hash.digest('hex') !== spec.sha256)
    throw new ProviderError('InvalidConfig', 'the image that arrived is not the one that was announced')
}

/** The archive itself, whether it came as it is, gzipped or as zstd. */
async function unpacked(path: string): Promise<AsyncIterable<Uint8Array>> {
  const file = await open(path)
  const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0)
  await file.close()
  const archive = createReadStream(path)
  if (buffer[0] === 0x1f && buffer[1] === 0x8b) return through(archive, createGunzip())
  if (buffer.readUInt32LE() === 0xfd2fb528) return through(archive, createZstdDecompress())
  return archive
}

function through(
  archive: Readable,
  decoder: ReturnType<typeof createGunzip> | ReturnType<typeof createZstdDecompress>,
) {
  // What goes wrong in it is thrown where it is read.
  pipeline(archive, decoder).catch(() => {})
  return decoder
}
