import { readFileSync } from 'node:fs'
import { readOr } from '../cgroups/hierarchies.ts'

/** A process, and the proof that it is still the same one: a process id alone is given again to others. */
export interface ProcessMark {
  readonly pid: number
  /** Ticks since the machine was started. */
  readonly startTime: string
  readonly boot: string
}

let bootOfThisMachine: string | undefined

function boot(): string {
  bootOfThisMachine ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  return bootOfThisMachine
}

/** The fields of /proc/<pid>/stat after the name, which may itself hold spaces and brackets. */
const fieldsOf = (text: string): string[] => text.slice(text.lastIndexOf(')') + 2).split(' ')

function statistics(pid: number): string[] | undefined {
  const text = readOr(`/proc/${pid}/stat`, undefined)
  return text === undefined ? undefined : fieldsOf(text)
}

const startTimeField = 19
const stateField = 0
const sessionField = 3

export function markOf(pid: number): ProcessMark | undefined {
  const startTime = statistics(pid)?.[startTimeField]
  return startTime === undefined ? undefined : { pid, startTime, boot: boot() }
}

/** Of a process that has told its own /proc/self/stat. */
export const markFrom = (stat: string): ProcessMark => ({
  pid: Number.parseInt(stat, 10),
  startTime: fieldsOf(stat)[startTimeField]!,
  boot: boot(),
})

/** Whether exactly this process is there and not dead. */
export function isAlive(mark: ProcessMark): boolean {
  if (mark.boot !== boot()) return false
  const fields = statistics(mark.pid)
  return fields !== undefined && fields[startTimeField] === mark.startTime && !['Z', 'X'].includes(fields[stateField]!)
}

export const sessionOf = (pid: number): number => Number(statistics(pid)?.[sessionField] ?? 0)

const ticksPerSecond = 100
const timeFields = [11, 12, 13, 14]

/** Of it and of those of its children that have ended: over a whole tree this never goes back. */
export function processorSeconds(pid: number): number {
  const fields = statistics(pid)
  return timeFields.reduce((ticks, field) => ticks + Number(fields?.[field] ?? 0), 0) / ticksPerSecond
}

export function childrenOf(pid: number): number[] {
  const text = readOr(`/proc/${pid}/task/${pid}/children`, '')
  return text.split(' ').filter(Boolean).map(Number)
}

/** It and everything below it. */
export const treeOf = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(treeOf)]

/** How often a process is looked at until it has halted: some 20 ms. One that starts another is held up until that runs. */
const looks = 1_000

/** Ends a process and everything below it. Each is halted first: it starts nothing while its children are looked for. */
export function killTree(pid: number): void {
  signal(pid, 'SIGSTOP')
  for (let look = 0; look < looks && !isHalted(pid); look++);
  const children = childrenOf(pid)
  signal(pid, 'SIGKILL')
  for (const child of children) killTree(child)
}

const isHalted = (pid: number): boolean => ['T', 'Z', 'X'].includes(statistics(pid)?.[stateField] ?? 'X')

/** Its id in the innermost namespace it is in. */
export function innerPid(pid: number): number | undefined {
  const line = /^NSpid:\s*(.+)$/m.exec(readOr(`/proc/${pid}/status`, ''))?.[1]
  const ids = line?.split(/\s+/)
  return ids && Number(ids.at(-1))
}

/** Sends a signal; what is gone already needs none. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
