import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type Controller = 'cpu' | 'cpuacct' | 'memory' | 'pids' | 'blkio' | 'io'

/** One tree of control groups in which we may make our own. */
export interface Hierarchy {
  readonly version: 1 | 2
  readonly controllers: ReadonlySet<Controller>
  /** The directory that holds our groups. */
  readonly base: string
}

interface Mount {
  readonly version: 1 | 2
  readonly point: string
  readonly controllers: readonly string[]
}

/** How the machine tells about its control groups. Tests have their own. */
export interface CgroupFacts {
  /** As /proc/self/mounts. */
  readonly mounts: string
  /** As /proc/self/cgroup. */
  readonly own: string
}

export const cgroupFacts = (): CgroupFacts => ({
  mounts: readOr('/proc/self/mounts', ''),
  own: readOr('/proc/self/cgroup', ''),
})

const wanted: readonly Controller[] = ['cpu', 'cpuacct', 'memory', 'pids', 'blkio', 'io']

/**
 * Where groups can be made. At the top of each tree first: what runs there outlives the group of the control plane, which
 * an init system empties when it restarts a service. Else below our own group, where the machine has given us that right.
 */
export function findHierarchies({ mounts, own }: CgroupFacts, name: string): Hierarchy[] {
  const ownPaths = own.split('\n').map(line => line.split(':'))
  return readMounts(mounts).flatMap(mount => {
    const ownPath = ownPaths.find(([, controllers]) =>
      mount.version === 2 ? controllers === '' : controllers?.split(',').some(each => mount.controllers.includes(each)),
    )?.[2]
    const places = [mount.point, ...(ownPath ? [join(mount.point, ownPath)] : [])]
    for (const place of places) {
      const hierarchy = settle(mount, place, name)
      if (hierarchy) return [hierarchy]
    }
    return []
  })
}

function readMounts(text: string): Mount[] {
  const mounts = text.split('\n').map(line => line.split(' '))
  return mounts.flatMap(([, point, type, options]): Mount[] => {
    if (type === 'cgroup2') return [{ version: 2, point: point!, controllers: [] }]
    const controllers = (options ?? '').split(',').filter(option => (wanted as readonly string[]).includes(option))
    return type === 'cgroup' && controllers.length > 0 ? [{ version: 1, point: point!, controllers }] : []
  })
}

/** Makes our directory there, or finds that it cannot be. */
function settle(mount: Mount, place: string, name: string): Hierarchy | undefined {
  const base = join(place, name)
  try {
    if (mount.version === 1) {
      mkdirSync(base, { recursive: true })
      return { version: 1, controllers: new Set(mount.controllers as Controller[]), base }
    }
    // In the one tree of version 2, each level says which controllers the next one has.
    const levels = name.split('/').map((_, depth, parts) => join(place, ...parts.slice(0, depth + 1)))
    const offered = readOr(join(place, 'cgroup.controllers'), '').trim().split(' ')
    const controllers = wanted.filter(each => offered.includes(each))
    pass(place, controllers)
    for (const level of levels) {
      mkdirSync(level, { recursive: true })
      pass(level, controllers)
    }
    return { version: 2, controllers: new Set(controllers), base }
  } catch {
    if (existsSync(base)) tryRemove(base)
    return undefined
  }
}

function pass(directory: string, controllers: readonly Controller[]): void {
  if (controllers.length === 0) return
  writeFileSync(join(directory, 'cgroup.subtree_control'), controllers.map(each => `+${each}`).join(' '))
}

/** Removes our own directories again, as far as they are empty. */
export function leaveHierarchies(hierarchies: readonly Hierarchy[], name: string): void {
  for (const { base } of hierarchies) {
    tryRemove(base)
    if (name.includes('/')) tryRemove(join(base, '..'))
  }
}

export function tryRemove(directory: string): boolean {
  try {
    rmdirSync(directory)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

export function readOr<T>(path: string, otherwise: T): string | T {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return otherwise
  }
}
