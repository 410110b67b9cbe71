import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@stead/testing'
import { expect, test } from 'vitest'
import { Cgroups } from './index.ts'

/** A directory that looks like the tree of version 2. The kernel's own files are not there to be written: they are made here. */
function pureV2(offered = 'cpuset cpu io memory pids'): { directory: string; facts: { mounts: string; own: string } } {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'cgroup.controllers'), `${offered}\n`)
  return {
    directory,
    facts: { mounts: `cgroup2 ${directory} cgroup2 rw 0 0\n`, own: '0::/system.slice/stead.service\n' },
  }
}

function kernelFiles(group: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(group, { recursive: true })
  for (const [name, content] of Object.entries(files)) writeFileSync(join(group, name), content)
}

test('version 2: limits are written in its words, and use is read in them', () => {
  const { directory, facts } = pureV2()
  const cgroups = new Cgroups('stead/test', facts)
  expect(cgroups.version).toBe('v2')
  expect(cgroups.limits).toEqual({ enforced: ['cpu', 'memory', 'pids'], missing: [] })
  expect(readFileSync(join(directory, 'cgroup.subtree_control'), 'utf8')).toBe('+cpu +memory +pids +io')
  const path = join(directory, 'stead/test/one')
  kernelFiles(path, {
    'cpu.max': '',
    'memory.max': '',
    'memory.swap.max': '',
    'memory.oom.group': '',
    'pids.max': '',
    'cpu.stat': 'usage_usec 2500000\nuser_usec 1\n',
    'memory.current': '1000000',
    'memory.stat': 'anon 5\ninactive_file 400000\n',
    'memory.events': 'low 0\noom 2\noom_kill 2\n',
    'io.stat': '8:0 rbytes=100 wbytes=200 rios=1\n8:16 rbytes=1 wbytes=2\n',
  })
  const group = cgroups.group('one')!
  group.make({ cpuMillis: 250, memoryMiB: 64, pids: 32 })
  expect(readFileSync(join(path, 'cpu.max'), 'utf8')).toBe('25000 100000')
  expect(readFileSync(join(path, 'memory.max'), 'utf8')).toBe(String(64 * 2 ** 20))
  expect(readFileSync(join(path, 'memory.swap.max'), 'utf8')).toBe('0')
  expect(readFileSync(join(path, 'pids.max'), 'utf8')).toBe('32')
  expect(group.oomKills()).toBe(2)
  expect(group.usage()).toMatchObject({
    cpuSeconds: 2.5,
    memoryBytes: 600_000,
    memoryLimitBytes: 64 * 2 ** 20,
    diskReadBytes: 101,
    diskWrittenBytes: 202,
  })
})

test('version 1: limits are written in its words, and use is read in them', () => {
  const directory = temporaryDirectory()
  const trees = ['cpu,cpuacct', 'memory', 'pids', 'blkio']
  for (const tree of trees) mkdirSync(join(directory, tree))
  const mounts = trees.map(tree => `cgroup ${directory}/${tree} cgroup rw,relatime,${tree} 0 0`).join('\n')
  const cgroups = new Cgroups('stead/test', { mounts, own: '4:memory:/\n' })
  expect(cgroups.version).toBe('v1')
  expect(cgroups.limits.missing).toEqual([])
  const path = (tree: string, file = '') => join(directory, tree, 'stead/test/one', file)
  kernelFiles(path('cpu,cpuacct'), { 'cpu.cfs_period_us': '', 'cpu.cfs_quota_us': '', 'cpuacct.usage': '1500000000\n' })
  kernelFiles(path('memory'), {
    'memory.limit_in_bytes': '',
    'memory.usage_in_bytes': '900\n',
    'memory.stat': 'total_inactive_file 100\n',
    'memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 1\n',
  })
  kernelFiles(path('pids'), { 'pids.max': '' })
  kernelFiles(path('blkio'), { 'blkio.throttle.io_service_bytes_recursive': '8:0 Read 10\n8:0 Write 20\nTotal 30\n' })
  const group = cgroups.group('one')!
  group.make({ cpuMillis: 1_500, memoryMiB: 1, pids: 7 })
  expect(readFileSync(path('cpu,cpuacct', 'cpu.cfs_quota_us'), 'utf8')).toBe('150000')
  expect(readFileSync(path('memory', 'memory.limit_in_bytes'), 'utf8')).toBe(String(2 ** 20))
  expect(readFileSync(path('pids', 'pids.max'), 'utf8')).toBe('7')
  expect(group.oomKills()).toBe(1)
  expect(group.usage()).toMatchObject({ cpuSeconds: 1.5, memoryBytes: 800, diskReadBytes: 10, diskWrittenBytes: 20 })
})

test('of two trees that count processor time only one is joined', () => {
  const { directory, facts } = pureV2('')
  mkdirSync(join(directory, 'cpuacct'))
  mkdirSync(join(directory, 'pids'))
  const v1 = ['cpuacct', 'pids'].map(tree => `cgroup ${directory}/${tree} cgroup rw,${tree} 0 0`).join('\n')
  const joined = (offered: string) => {
    writeFileSync(join(directory, 'cgroup.controllers'), offered)
    const group = new Cgroups('stead/test', { ...facts, mounts: `${facts.mounts}${v1}` }).group('one')!
    kernelFiles(join(directory, 'pids/stead/test/one'), { 'pids.max': '' })
    if (offered !== '') kernelFiles(join(directory, 'stead/test/one'), { 'memory.oom.group': '' })
    group.make({ pids: 7 })
    return group.ownDoors.map(door => door.slice(directory.length))
  }
  expect(joined('')).toEqual(['/cpuacct/stead/test/one/tasks', '/pids/stead/test/one/tasks'])
  expect(joined('memory')).toEqual(['/stead/test/one/cgroup.procs', '/pids/stead/test/one/tasks'])
})

test('version 2: what is used already is no limit, since the kernel would kill for it', () => {
  const { directory, facts } = pureV2()
  const path = join(directory, 'stead/test/one')
  const group = new Cgroups('stead/test', facts).group('one')!
  kernelFiles(path, {
    ...{ 'cpu.max': '', 'memory.max': '', 'memory.swap.max': '', 'memory.oom.group': '', 'pids.max': '' },
    ...{ 'memory.current': String(50 * 2 ** 20), 'memory.stat': `inactive_file ${10 * 2 ** 20}\n`, 'cgroup.procs': '' },
  })
  group.make({ memoryMiB: 64, pids: 32 })
  expect(() => group.change({ memoryMiB: 39, pids: 32 })).toThrow('it uses 40 MiB of memory: 39 MiB are too few')
  expect(readFileSync(join(path, 'memory.max'), 'utf8')).toBe(String(64 * 2 ** 20))
  group.change({ memoryMiB: 40, pids: 32 })
  expect(readFileSync(join(path, 'memory.max'), 'utf8')).toBe(String(40 * 2 ** 20))
  expect(readFileSync(join(path, 'cpu.max'), 'utf8')).toBe('max 100000')
})

test('a controller that is not offered is named as missing', () => {
  const { facts } = pureV2('memory')
  expect(new Cgroups('stead/test', facts).limits).toEqual({ enforced: ['memory'], missing: ['cpu', 'pids'] })
})

test('without control groups there are no groups, and nothing is enforced', () => {
  const cgroups = new Cgroups('stead/test', { mounts: 'proc /proc proc rw 0 0\n', own: '' })
  expect(cgroups.version).toBe('none')
  expect(cgroups.group('one')).toBeUndefined()
  expect(cgroups.limits).toEqual({ enforced: [], missing: ['cpu', 'memory', 'pids'] })
})

test('where the top of the tree is not ours, our own place in it is taken', () => {
  const { directory, facts } = pureV2()
  const own = join(directory, 'system.slice/stead.service')
  mkdirSync(own, { recursive: true })
  writeFileSync(join(own, 'cgroup.controllers'), 'memory pids\n')
  writeFileSync(join(directory, 'stead'), 'in the way')
  const cgroups = new Cgroups('stead/test', facts)
  expect(cgroups.limits).toEqual({ enforced: ['memory', 'pids'], missing: ['cpu'] })
})
