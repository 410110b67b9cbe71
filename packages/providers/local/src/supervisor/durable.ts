import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { packBytes, unpackBytes } from '../wire/frames.ts'

/**
 * Writes a file whole: at every moment either what was there or what is new. `synced`: on the disk when this returns, for
 * what must outlive the machine; what only describes processes need not, since they do not either.
 */
export function writeWhole(path: string, value: unknown, { synced }: { readonly synced: boolean }): void {
  const draft = `${path}.new`
  const file = openSync(draft, 'w', 0o600)
  try {
    writeSync(file, JSON.stringify(value, packBytes))
    if (synced) fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(draft, path)
  if (synced) syncDirectory(dirname(path))
}

export function syncDirectory(path: string): void {
  const directory = openSync(path, 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}

/** Waits until these files and directories are on the disk, without holding up anything else. */
export async function syncAll(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
      // Removed again already: there is nothing to keep.
      if (error.code === 'ENOENT') return undefined
      throw error
    })
    await file?.sync()
    await file?.close()
  }
}

/** What was written; undefined for a file that a crash left empty or unfinished. */
export function readWhole(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'), unpackBytes)
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
