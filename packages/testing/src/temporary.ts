import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { mountLoopFilesystem } from './loop-filesystem.ts'

/** An empty directory for the running test, removed after it. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'stead-test-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** A small file system for the running test, for disks that fill up. Needs the backend `loop filesystem`. */
export function loopFilesystem(mebibytes: number): string {
  const { directory, unmount } = mountLoopFilesystem(mebibytes)
  onTestFinished(unmount)
  return directory
}

/** Writes until nothing more fits. In small steps: a write larger than what is left may fail whole and leave the room. */
export function fillDisk(directory: string): void {
  const filler = openSync(join(directory, 'filler'), 'w')
  try {
    for (const step of [65_536, 1_024]) writeUntilFull(filler, Buffer.alloc(step))
  } finally {
    closeSync(filler)
  }
}

function writeUntilFull(file: number, step: Buffer): void {
  try {
    for (;;) {
      writeSync(file, step)
      fsyncSync(file)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}
