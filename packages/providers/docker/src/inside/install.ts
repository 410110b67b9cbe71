import { hash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { isProviderError, type Owner, ownerTags, ProviderError, retrying } from '@stead/provider-kit'
import type { World } from '@stead/world'
import type { Engine } from '../engine/engine.ts'
import { tarOf } from '../engine/tar.ts'
import { programs } from './program.ts'

/** Where services find it. The dot keeps it out of the way of what images have. */
export const insideDirectory = '/.stead'
export const insideProgram = `${insideDirectory}/inside`
/** The environment of a service that has secrets in it, and its command. */
export const environmentFile = '/.stead.env'

const architectures: Readonly<Record<string, keyof typeof programs>> = {
  amd64: 'x86_64',
  x86_64: 'x86_64',
  arm64: 'aarch64',
  aarch64: 'aarch64',
}

/**
 * The small program that is in every container, once per engine: as an image, for records and for holders of a network, and
 * in a volume, for services. A container that is never started keeps the volume in use, so that nobody's cleaning takes it.
 */
export class Inside {
  readonly #engine: Engine
  readonly #owner: Owner
  readonly #world: World
  readonly #program: Buffer
  readonly name: string
  #installing: Promise<void> | undefined

  constructor(engine: Engine, owner: Owner, architecture: string, world: World) {
    const known = architectures[architecture]
    if (!known)
      throw new ProviderError('Unsupported', `an engine on ${architecture}: only x86_64 and aarch64 are known here`)
    this.#engine = engine
    this.#owner = owner
    this.#world = world
    this.#program = gunzipSync(Buffer.from(programs[known], 'base64'))
    this.name = `stead-inside-${hash('sha256', this.#program).slice(0, 12)}`
  }

  /** Makes sure that it is there. Looked at once; what fails is tried again by the next who asks. */
  ensure(): Promise<void> {
    this.#installing ??= this.#install().catch(error => {
      this.#installing = undefined
      throw error
    })
    return this.#installing
  }

  /** Somebody took something of it away. */
  forget(): void {
    this.#installing = undefined
  }

  async #install(): Promise<void> {
    const file = { content: this.#program, mode: 0o755 }
    if (!(await this.#engine.image(this.name)))
      await this.#engine.importImage(this.name, tarOf([{ path: 'inside', ...file }]))
    const there = await this.#engine.readFile(this.name, insideProgram)
    if (there?.equals(this.#program)) return
    const labels = ownerTags(this.#owner)
    await this.#engine.createVolume(this.name, labels)
    const Mounts = [{ Type: 'volume', Source: this.name, Target: insideDirectory }]
    const body = {
      Image: this.name,
      Entrypoint: ['/inside'],
      Labels: labels,
      HostConfig: { NetworkMode: 'none', Mounts },
    }
    try {
      await this.#engine.createContainer(this.name, body)
    } catch (error) {
      if (!isProviderError(error, 'Conflict')) throw error
    }
    await retrying(this.#world, () => this.#put(tarOf([{ path: 'inside', ...file }])))
  }

  async #put(archive: Buffer): Promise<void> {
    try {
      await this.#engine.putArchive(this.name, insideDirectory, archive)
    } catch (error) {
      // An engine gives a name away before it shows what has it: another process is making it at this moment.
      if (!isProviderError(error, 'NotFound')) throw error
      throw new ProviderError('Unavailable', error.message, { cause: error })
    }
  }
}
