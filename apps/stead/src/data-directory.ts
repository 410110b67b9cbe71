import { mkdirSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OpenError } from '@stead/engine'

// With less room than this nothing that is opened next could work either.
const leastRoom = Buffer.alloc(65_536)

/** Makes the data directory if it is not there, for this user alone, and finds out by writing whether it can be written. */
export function openDataDirectory(path: string): void {
  const probe = join(path, `.write-test-${process.pid}`)
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    // Permission bits do not tell: root passes them all, and a read-only or full file system fails only when written.
    writeFileSync(probe, leastRoom, { flag: 'wx', flush: true })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const full = code === 'ENOSPC' || code === 'EDQUOT'
    throw full
      ? new OpenError('disk_full', `no space is left for the data directory ${path}`, { cause: error })
      : new OpenError('unwritable', `the data directory ${path} cannot be written: ${message}`, { cause: error })
  } finally {
    removeProbe(probe)
  }
}

function removeProbe(probe: string): void {
  try {
    unlinkSync(probe)
  } catch {
    // It was never made; whatever kept it from being made has been reported.
  }
}
