import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
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

export const readWhole = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'), unpackBytes)
