import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { packBytes, unpackBytes } from '../wire/frames.ts'

/** Writes a file whole: at every moment either what was there or what is new. It need not be on the disk yet: `syncAll`. */
export function writeWhole(path: string, value: unknown): void {
  const draft = `${path}.new`
  writeFileSync(draft, JSON.stringify(value, packBytes), { mode: 0o600 })
  renameSync(draft, path)
}

/**
 * Adds a line. For what changes often: replacing a file by renaming makes a file system write out the new one at once, which
 * takes 50 times as long.
 */
export function appendLine(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, packBytes)}\n`, { flag: 'a', mode: 0o600 })
}

/** The last line that is whole; undefined when there is none. */
export function readLastLine(path: string): unknown {
  const lines = readIfThere(path)?.split('\n') ?? []
  for (const line of lines.toReversed()) {
    const value = parse(line)
    if (value !== undefined) return value
  }
  return undefined
}

/** Every line that is whole. */
export const readLines = (path: string): unknown[] =>
  (readIfThere(path)?.split('\n') ?? []).map(parse).filter(value => value !== undefined)

/** Waits until these files and directories are on the disk, without holding up anything else. */
export async function syncAll(paths: readonly string[]): Promise<void> {
  await Promise.all(paths.map(sync))
}

interface Syncing {
  readonly now: Promise<void>
  next?: Promise<void>
}

const syncing = new Map<string, Syncing>()

/** Those who come while a path is being synced share the next time: of a hundred launches, each would sync the same directory. */
function sync(path: string): Promise<void> {
  const known = syncing.get(path)
  if (!known) return begin(path)
  known.next ??= known.now.then(
    () => begin(path),
    () => begin(path),
  )
  return known.next
}

function begin(path: string): Promise<void> {
  const now = syncOnce(path)
  const mine: Syncing = { now }
  syncing.set(path, mine)
  const forget = () => {
    if (mine.next === undefined) syncing.delete(path)
  }
  now.then(forget, forget)
  return now
}

async function syncOnce(path: string): Promise<void> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    // Removed again already: there is nothing to keep.
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  await file?.sync()
  await file?.close()
}

/** What was written; undefined for a file that a crash left empty or unfinished. */
export const readWhole = (path: string): unknown => parse(readIfThere(path) ?? '')

function parse(text: string): unknown {
  try {
    return JSON.parse(text, unpackBytes)
  } catch {
    return undefined
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
