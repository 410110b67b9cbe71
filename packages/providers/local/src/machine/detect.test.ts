import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describeWith, temporaryDirectory } from '@stead/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sleeper, TestRegion } from '../tests/region.ts'
import { chooseLevel, detectLocal } from './detect.ts'
import { findProgram } from './programs.ts'

const everything = [
  'sh',
  'flock',
  'unshare',
  'nsenter',
  'setpriv',
  'mkfifo',
  'mount',
  'ip',
  'env',
  'sleep',
  'mkdir',
  'true',
]
const originalPath = process.env.PATH

/** A PATH on which only these programs are. */
function onlyThese(programs: readonly string[]): void {
  const directory = join(temporaryDirectory(), 'bin')
  mkdirSync(directory)
  for (const name of programs) symlinkSync(findProgram(name)!, join(directory, name))
  process.env.PATH = directory
}

describeWith('namespaces', 'a machine without bubblewrap', () => {
  beforeEach(() => onlyThese(everything))
  afterEach(() => {
    process.env.PATH = originalPath
  })

  test('offers basic isolation, and says what one package would add', async () => {
    const found = await detectLocal()
    expect(found.level).toBe('basic')
    expect(found.missing.full).toContain('apt-get install bubblewrap')
    expect(found.advice[0]).toContain('bubblewrap')
    expect(chooseLevel('best', found)).toBe('basic')
    expect(() => chooseLevel('full', found)).toThrow('apt-get install bubblewrap')
  })

  test('runs something at once, and says how well it is kept apart', async () => {
    const region = await TestRegion.open({ isolation: 'best' })
    try {
      expect(region.provider.capabilities().notes?.[0]).toBe('isolation: basic')
      expect((await region.running(sleeper)).state).toBe('running')
    } finally {
      await region.close()
    }
  })
})

describe('a machine on which no isolation works', () => {
  afterEach(() => {
    process.env.PATH = originalPath
  })

  test('is refused with what to install, unless none was asked for', async () => {
    onlyThese(['sh', 'flock', 'mkfifo'])
    const found = await detectLocal()
    expect(found.level).toBe('none')
    expect(() => chooseLevel('best', found)).toThrow(/unshare.*apt-get install.*util-linux.*isolation: none/)
    expect(() => chooseLevel('basic', found)).toThrow('demands basic isolation')
    expect(chooseLevel('none', found)).toBe('none')
  })
})

describe('a machine without control groups', () => {
  const without = { mounts: '', own: '' }

  test('says that limits are not enforced, and what would help', async () => {
    const found = await detectLocal({ cgroups: without })
    expect(found.limits).toEqual({ cgroups: 'none', enforced: [], missing: ['cpu', 'memory', 'pids'] })
    expect(found.advice.join()).toContain('limits are not enforced for cpu, memory, pids')
  })
})
