import { existsSync, statfsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { describeWith, fillDisk, freePort, loopFilesystem, temporaryDirectory } from './index.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

/** The table as a process with this PATH sees it. */
async function backendsOn(path: string) {
  vi.stubEnv('PATH', path)
  vi.resetModules()
  return await import('./backends.ts')
}

test('an absent backend is named with the command that installs it', async () => {
  const backends = await backendsOn('')
  expect(backends.missing('etcd')).toEqual({
    reason: 'etcd: etcd not found',
    remedy: 'apt-get install -y --no-install-recommends etcd-server',
  })
  expect(backends.absentPackages()).toContain('etcd-server')
  expect(() => backends.commandPath('etcd', 'etcd')).toThrow("describeWith('etcd')")
})

test('a backend whose programs are there is not missing', async () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'etcd'), '', { mode: 0o755 })
  const backends = await backendsOn(directory)
  expect(backends.missing('etcd')).toBeUndefined()
  expect(backends.absentPackages()).not.toContain('etcd-server')
  expect(backends.commandPath('etcd', 'etcd')).toBe(join(directory, 'etcd'))
})

test('a backend whose programs are there and do not work is missing, with what they said', async () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'strace'), '#!/bin/sh\necho tracing is forbidden >&2; exit 1\n', { mode: 0o755 })
  const backends = await backendsOn(directory)
  expect(backends.missing('strace')?.reason).toContain('tracing is forbidden')
  expect(backends.absentPackages()).not.toContain('strace')
})

describe('what a test borrows is given back', () => {
  let directory: string

  test('a temporary directory is there during the test', () => {
    directory = temporaryDirectory()
    expect(existsSync(directory)).toBe(true)
  })

  test('and gone after it', () => expect(existsSync(directory)).toBe(false))
})

describeWith('loop filesystem', 'a loop file system', () => {
  let directory: string

  test('has the size asked for', () => {
    directory = loopFilesystem(4)
    const { blocks, bsize } = statfsSync(directory)
    expect(blocks * bsize).toBeGreaterThan(3 * 1_048_576)
    expect(blocks * bsize).toBeLessThanOrEqual(4 * 1_048_576)
  })

  test('can be filled until nothing fits', () => {
    const disk = loopFilesystem(1)
    fillDisk(disk)
    expect(() => writeFileSync(join(disk, 'more'), Buffer.alloc(4_096), { flush: true })).toThrow('ENOSPC')
  })

  test('is unmounted and removed after the test', () => expect(existsSync(directory)).toBe(false))
})

test('a free port can be listened on', async () => {
  const port = await freePort()
  const server = createServer()
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve))
  await new Promise(resolve => server.close(resolve))
})
