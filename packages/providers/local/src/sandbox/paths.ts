import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join, posix } from 'node:path'
import { ProviderError } from '@stead/provider-kit'

export interface Ids {
  readonly uid: number
  readonly gid: number
}

/**
 * Walks down from a directory that a tenant may have written into, making what is missing. A link on the way is refused:
 * it would lead us, with our rights, to wherever the tenant likes. Nothing of theirs runs here meanwhile.
 */
export function makeDirectories(root: string, path: string, owner: Ids | undefined): string {
  let at = root
  for (const part of path.split('/').filter(Boolean)) {
    at = join(at, part)
    const found = lstatSync(at, { throwIfNoEntry: false })
    if (found && !found.isDirectory())
      throw new ProviderError('InvalidConfig', `${path} is not a directory all the way inside: ${part} is in the way`)
    if (found) continue
    mkdirSync(at, { mode: 0o755 })
    if (owner) chownSync(at, owner.uid, owner.gid)
  }
  return at
}

/** Writes a file below such a directory, in place of whatever is there, following nothing. */
export function placeFile(
  root: string,
  path: string,
  content: Uint8Array,
  options: { readonly mode: number; readonly owner: Ids | undefined },
): void {
  const directory = makeDirectories(root, posix.dirname(path), options.owner)
  const file = join(directory, posix.basename(path))
  if (lstatSync(file, { throwIfNoEntry: false })?.isDirectory())
    throw new ProviderError('InvalidConfig', `${path} is a directory inside: no file can be put there`)
  rmSync(file, { force: true })
  writeNewFile(file, content, options)
}

export function writeNewFile(
  file: string,
  content: Uint8Array,
  { mode, owner }: { readonly mode: number; readonly owner: Ids | undefined },
): void {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants
  const handle = openSync(file, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0o600)
  try {
    writeSync(handle, content)
  } finally {
    closeSync(handle)
  }
  chmodSync(file, mode)
  if (owner) lchownSync(file, owner.uid, owner.gid)
}
