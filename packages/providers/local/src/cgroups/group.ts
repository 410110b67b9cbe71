import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Usage, unknownUsage } from '@stead/provider-kit'
import { childrenOf } from '../machine/processes.ts'
import { type Controller, type Hierarchy, readOr, tryRemove } from './hierarchies.ts'

export interface Limits {
  readonly cpuMillis?: number | undefined
  readonly memoryMiB?: number | undefined
  readonly pids: number
}

/** Null lifts a limit; undefined leaves it as it is. */
interface WantedLimits {
  readonly cpuMillis?: number | null | undefined
  readonly memoryMiB?: number | null | undefined
  readonly pids: number
}

/** What is in a group does not fit into new limits. */
export class LimitRefused extends Error {}

const mebibyte = 2 ** 20
const period = 100_000
/** The kernel refuses a smaller share of a period. */
const smallestQuota = 1_000

/** The control group of one service, in every tree the machine has. */
export class Cgroup {
  readonly #hierarchies: readonly Hierarchy[]
  readonly #name: string

  constructor(hierarchies: readonly Hierarchy[], name: string) {
    this.#hierarchies = hierarchies
    this.#name = name
  }

  make(limits: Limits): void {
    for (const hierarchy of this.#hierarchies) {
      if (limits.cpuMillis === undefined && onlyLimitsProcessor(hierarchy)) continue
      mkdirSync(this.#in(hierarchy), { recursive: true })
      this.#limit(hierarchy, limits)
    }
  }

  /** Gives what runs in it other limits, lifted ones too. Where there is no group, nothing runs. */
  change(limits: Limits): void {
    if (this.doors.length === 0) return
    this.#mustHold(limits)
    for (const hierarchy of this.#hierarchies) {
      const isMissing = !existsSync(this.#in(hierarchy))
      if (isMissing && limits.cpuMillis === undefined && onlyLimitsProcessor(hierarchy)) continue
      if (isMissing) mkdirSync(this.#in(hierarchy), { recursive: true })
      this.#limit(hierarchy, { ...limits, cpuMillis: limits.cpuMillis ?? null, memoryMiB: limits.memoryMiB ?? null })
    }
    // A tree that had nothing to limit so far does not have them yet.
    for (const pid of this.processes()) this.addTree(pid)
  }

  /** Version 1 itself refuses what is used up already, after giving back what it can; version 2 kills until it fits. */
  #mustHold({ memoryMiB }: Limits): void {
    if (!this.#hierarchies.some(({ version, controllers }) => version === 2 && controllers.has('memory'))) return
    const { memoryBytes } = this.usage()
    if (memoryMiB === undefined || memoryBytes === null || memoryBytes <= memoryMiB * mebibyte) return
    throw new LimitRefused(`it uses ${Math.ceil(memoryBytes / mebibyte)} MiB of memory: ${memoryMiB} MiB are too few`)
  }

  #limit(hierarchy: Hierarchy, limits: WantedLimits): void {
    const files = limitFiles(hierarchy.version, limits).filter(([controller]) => hierarchy.controllers.has(controller))
    const memory = files.find(([, file]) => file === 'memory.limit_in_bytes')?.[2]
    // Version 1 never lets the first of its two limits on memory be above the second.
    const isRaised = memory !== undefined && this.#raises(hierarchy, Number(memory))
    for (const [, file, value] of isRaised ? files.toReversed() : files) this.#write(hierarchy, file, value)
  }

  #raises(hierarchy: Hierarchy, bytes: number): boolean {
    const now = Number(readOr(join(this.#in(hierarchy), 'memory.limit_in_bytes'), '0'))
    return bytes < 0 || bytes > now
  }

  /** Where a process writes its id to join. */
  get doors(): readonly string[] {
    const made = this.#hierarchies.map(hierarchy => this.#in(hierarchy)).filter(directory => existsSync(directory))
    return made.map(directory => join(directory, 'cgroup.procs'))
  }

  /**
   * Where a process that has but one thread writes 0 to join. A thread that moves itself in a tree of version 1 holds up nobody;
   * whatever else is moved, nothing on the machine may be started or end meanwhile, and waiting for that takes up to 10 ms.
   */
  get ownDoors(): readonly string[] {
    const made = this.#hierarchies.filter(hierarchy => existsSync(this.#in(hierarchy)))
    return made.map(hierarchy => join(this.#in(hierarchy), hierarchy.version === 1 ? 'tasks' : 'cgroup.procs'))
  }

  add(pid: number): void {
    for (const door of this.doors) writeFileSync(door, String(pid))
  }

  /**
   * Moves a process and everything below it. Its children are looked for only once it has been moved whole: those that come
   * later come to the right place. What is there already is left: moving a process takes the kernel up to 10 ms when nobody
   * has been moved for a while.
   */
  addTree(pid: number): void {
    try {
      if (!this.#holds(pid)) this.add(pid)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return
      throw error
    }
    for (const child of childrenOf(pid)) this.addTree(child)
  }

  /** In every tree: a child of a process that is being moved may be in some of them only. */
  #holds(pid: number): boolean {
    const places = readOr(`/proc/${pid}/cgroup`, '').split('\n')
    return places.filter(place => place.endsWith(`/${this.#name}`)).length === this.doors.length
  }

  processes(): number[] {
    const pids = this.doors.flatMap(door => readOr(door, '').split('\n').filter(Boolean).map(Number))
    return [...new Set(pids)]
  }

  /** Whether the kernel ends but one of the processes in it when their memory is used up: there is no way to ask for all. */
  get killsOneByOne(): boolean {
    return this.#hierarchies.some(({ version, controllers }) => version === 1 && controllers.has('memory'))
  }

  /** How often something in it was killed for want of memory. */
  oomKills(): number {
    const text = this.#read('memory', { 1: 'memory.oom_control', 2: 'memory.events' })
    return fieldOf(text, 'oom_kill') ?? 0
  }

  usage(): Usage {
    const cpuV1 = Number(this.#read('cpuacct', { 1: 'cpuacct.usage' }) ?? Number.NaN) / 1e9
    const cpuV2 = (fieldOf(this.#processorOfV2(), 'usage_usec') ?? Number.NaN) / 1e6
    const memory = Number(this.#read('memory', { 1: 'memory.usage_in_bytes', 2: 'memory.current' }) ?? Number.NaN)
    const statistics = this.#read('memory', { 1: 'memory.stat', 2: 'memory.stat' })
    // Pages of files that nobody uses now are given back when somebody else wants the memory.
    const idle = fieldOf(statistics, 'total_inactive_file') ?? fieldOf(statistics, 'inactive_file') ?? 0
    const limit = Number(this.#read('memory', { 1: 'memory.limit_in_bytes', 2: 'memory.max' }) ?? Number.NaN)
    const disk = this.#disk()
    return {
      ...unknownUsage,
      cpuSeconds: known(cpuV1) ?? known(cpuV2),
      memoryBytes: known(Math.max(0, memory - idle)),
      // Without a limit version 1 says an absurd number, and version 2 says "max".
      memoryLimitBytes: limit < 2 ** 60 ? known(limit) : null,
      ...disk,
    }
  }

  /** Version 2 counts processor time whether or not it limits it. */
  #processorOfV2(): string | undefined {
    const unified = this.#hierarchies.find(({ version }) => version === 2)
    return unified && readOr(join(this.#in(unified), 'cpu.stat'), undefined)
  }

  #disk(): Pick<Usage, 'diskReadBytes' | 'diskWrittenBytes'> {
    const v1 = this.#read('blkio', { 1: 'blkio.throttle.io_service_bytes_recursive' })
    const v2 = this.#read('io', { 2: 'io.stat' })
    if (v1 !== undefined)
      return { diskReadBytes: sum(v1, /\bRead (\d+)/g), diskWrittenBytes: sum(v1, /\bWrite (\d+)/g) }
    if (v2 !== undefined)
      return { diskReadBytes: sum(v2, /\brbytes=(\d+)/g), diskWrittenBytes: sum(v2, /\bwbytes=(\d+)/g) }
    return { diskReadBytes: null, diskWrittenBytes: null }
  }

  /** Ends everything in it. A tree that grows while it is cut down is first kept from growing. */
  kill(): void {
    const unified = this.#hierarchies.find(({ version }) => version === 2)
    if (unified && this.#tryWrite(unified, 'cgroup.kill', '1')) return
    const pids = this.#hierarchies.find(({ controllers }) => controllers.has('pids'))
    if (pids) this.#tryWrite(pids, 'pids.max', '0')
    for (const pid of this.processes()) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
      }
    }
  }

  /** Whether it is gone. It stays as long as a process is in it. */
  remove(): boolean {
    return this.#hierarchies.map(hierarchy => tryRemove(this.#in(hierarchy))).every(Boolean)
  }

  #in({ base }: Hierarchy): string {
    return join(base, this.#name)
  }

  #read(controller: Controller, files: { readonly 1?: string; readonly 2?: string }): string | undefined {
    for (const hierarchy of this.#hierarchies) {
      const file = files[hierarchy.version]
      if (file && hierarchy.controllers.has(controller)) return readOr(join(this.#in(hierarchy), file), undefined)
    }
    return undefined
  }

  #write(hierarchy: Hierarchy, file: string, value: string): void {
    const path = join(this.#in(hierarchy), file)
    // Limits on swap and on whole groups came later than the rest: an older kernel goes without.
    if (optionalFiles.includes(file)) this.#tryWrite(hierarchy, file, value)
    else writeLimit(path, value)
  }

  #tryWrite(hierarchy: Hierarchy, file: string, value: string): boolean {
    try {
      writeFileSync(join(this.#in(hierarchy), file), value, { flag: 'r+' })
      return true
    } catch {
      return false
    }
  }
}

/** Such a tree is left alone when there is nothing to limit: joining one takes as long as making a directory, or longer. */
const onlyLimitsProcessor = ({ version, controllers }: Hierarchy): boolean =>
  version === 1 && controllers.size === 1 && controllers.has('cpu')

const optionalFiles = ['memory.memsw.limit_in_bytes', 'memory.swap.max', 'memory.oom.group']

function writeLimit(path: string, value: string): void {
  try {
    writeFileSync(path, value, { flag: 'r+' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EBUSY') throw error
    throw new LimitRefused(`it uses more than ${value} of ${basename(path)}`)
  }
}

function limitFiles(version: 1 | 2, { cpuMillis, memoryMiB, pids }: WantedLimits): [Controller, string, string][] {
  const none = version === 1 ? '-1' : 'max'
  const written = (limit: number | null | undefined, write: (limit: number) => number) =>
    limit === null ? none : limit === undefined ? undefined : String(write(limit))
  const quota = written(cpuMillis, millis => Math.max(smallestQuota, Math.round((millis * period) / 1_000)))
  const bytes = written(memoryMiB, mebibytes => mebibytes * mebibyte)
  const files: [Controller, string, string][] = [['pids', 'pids.max', String(pids)]]
  if (version === 1) {
    if (quota !== undefined)
      files.push(['cpu', 'cpu.cfs_period_us', String(period)], ['cpu', 'cpu.cfs_quota_us', quota])
    if (bytes !== undefined)
      files.push(['memory', 'memory.limit_in_bytes', bytes], ['memory', 'memory.memsw.limit_in_bytes', bytes])
  } else {
    if (quota !== undefined) files.push(['cpu', 'cpu.max', `${quota} ${period}`])
    if (bytes !== undefined) files.push(['memory', 'memory.max', bytes], ['memory', 'memory.swap.max', '0'])
    files.push(['memory', 'memory.oom.group', '1'])
  }
  return files
}

function fieldOf(text: string | undefined, name: string): number | undefined {
  const found = text && new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]
  return found ? Number(found) : undefined
}

const known = (value: number): number | null => (Number.isFinite(value) ? value : null)

const sum = (text: string, each: RegExp): number =>
  [...text.matchAll(each)].reduce((total, [, bytes]) => total + Number(bytes), 0)
