import { constants } from 'node:fs'
import { chmod, link, lstat, mkdir, open, rm, symlink } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { ProviderError } from '@stead/provider-kit'
import { readTar, type TarEntry } from './tar.ts'

/**
 * Unpacks an archive that somebody sent us. Nothing is ever written outside of `root`: no name with `..`, and nothing
 * through a link, wherever it points. Devices and the like are left out; who needs one gets it from the sandbox.
 */
export async function extract(archive: AsyncIterable<Uint8Array>, root: string): Promise<void> {
  const tree = new Tree(root)
  for await (const entry of readTar(archive)) await tree.add(entry)
}

class Tree {
  readonly #root: string
  readonly #directories = new Set<string>([''])

  constructor(root: string) {
    this.#root = root
  }

  async add(entry: TarEntry): Promise<void> {
    const name = nameInside(entry.name)
    if (name === '') return
    if (entry.type === 'directory') return this.#directory(name, entry.mode)
    if (entry.type === 'other') return
    await this.#directory(posix.dirname(name) === '.' ? '' : posix.dirname(name), 0o755)
    const path = join(this.#root, name)
    await this.#clear(path)
    if (entry.type === 'symlink') return symlink(entry.link, path)
    if (entry.type === 'hardlink') return this.#hardlink(entry, path)
    const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants
    const file = await open(path, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0o600)
    try {
      for await (const chunk of entry.content) await file.write(chunk)
      await file.chmod(entry.mode | 0o400)
    } finally {
      await file.close()
    }
  }

  /** Every directory on the way is one, made by us, and no link to one. */
  async #directory(name: string, mode: number): Promise<void> {
    let at = ''
    for (const part of name.split('/').filter(Boolean)) {
      at = at ? `${at}/${part}` : part
      if (this.#directories.has(at)) continue
      const path = join(this.#root, at)
      const found = await lstat(path).catch(() => undefined)
      if (found && !found.isDirectory())
        throw new ProviderError('InvalidConfig', `${name} lies behind ${at}, which is no directory`)
      if (!found) await mkdir(path, { mode: 0o755 })
      this.#directories.add(at)
    }
    // Its owner must be able to fill and to remove it.
    if (at !== '') await chmod(join(this.#root, at), mode | 0o700)
  }

  async #hardlink(entry: TarEntry, path: string): Promise<void> {
    const target = nameInside(entry.link)
    const parent = posix.dirname(target) === '.' ? '' : posix.dirname(target)
    const source = join(this.#root, target)
    const found = await lstat(source).catch(() => undefined)
    if (!this.#directories.has(parent) || !found?.isFile())
      throw new ProviderError('InvalidConfig', `${entry.name} is linked to ${entry.link}, which is no file before it`)
    await link(source, path)
  }

  async #clear(path: string): Promise<void> {
    const found = await lstat(path).catch(() => undefined)
    if (found?.isDirectory())
      throw new ProviderError('InvalidConfig', `${path.slice(this.#root.length)} is there twice`)
    if (found) await rm(path)
  }
}

function nameInside(name: string): string {
  if (name.includes('\0') || name.split('/').includes('..'))
    throw new ProviderError('InvalidConfig', `the image holds a name that leads outside: ${JSON.stringify(name)}`)
  return posix
    .normalize(name)
    .replace(/^(\.?\/)+|\/+$/g, '')
    .replace(/^\.$/, '')
}
