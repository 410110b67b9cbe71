import { readFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os'
import { resolve, sep } from 'node:path'
import { megabytes } from './format.ts'

/** The file system a directory is on, e.g. `ext4`; `unknown` where the machine does not say. */
export function fileSystemOf(directory: string): string {
  let mounts: string
  try {
    mounts = readFileSync('/proc/self/mounts', 'utf8')
  } catch {
    return 'unknown'
  }
  const path = resolve(directory)
  const holds = (point: string) => path === point || path.startsWith(point.endsWith(sep) ? point : point + sep)
  let longest = ''
  let found = 'unknown'
  for (const line of mounts.split('\n')) {
    const [, point, fileSystem] = line.split(' ')
    if (!point || !fileSystem || !holds(point) || point.length < longest.length) continue
    longest = point
    found = fileSystem
  }
  return found
}

/** A sync on these costs nothing and promises nothing. */
export const isMemoryOnly = (fileSystem: string): boolean => ['tmpfs', 'ramfs'].includes(fileSystem)

/** A quarter of the machine in use by others is enough to move ratios. */
function describeLoad(): string {
  const load = loadavg()
  const isBusy = load[0]! > availableParallelism() / 4
  return `${load.map(each => each.toFixed(2)).join(' ')}${isBusy ? ' (busy: run again on a quiet machine)' : ''}`
}

export function machineFacts(directory: string): [string, string][] {
  return [
    ['processor', `${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown'}`],
    ['memory', megabytes(totalmem())],
    ['system', `${type()} ${release()}`],
    ['file system', fileSystemOf(directory)],
    ['load before the run', describeLoad()],
    ['Node', process.versions.node],
  ]
}
