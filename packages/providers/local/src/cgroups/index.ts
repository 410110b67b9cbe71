import { Cgroup } from './group.ts'
import {
  type CgroupFacts,
  type Controller,
  cgroupFacts,
  findHierarchies,
  type Hierarchy,
  leaveHierarchies,
} from './hierarchies.ts'

export { Cgroup, LimitRefused, type Limits } from './group.ts'
export { type CgroupFacts, cgroupFacts } from './hierarchies.ts'

const limiting = ['cpu', 'memory', 'pids'] as const

/** The control groups this machine lets us make. */
export class Cgroups {
  readonly #hierarchies: readonly Hierarchy[]
  readonly #name: string

  /** `name`: the directory that holds ours, e.g. `stead/3f2a`. */
  constructor(name: string, facts: CgroupFacts = cgroupFacts()) {
    this.#name = name
    const found = findHierarchies(facts, name)
    // Two trees that count processor time would only cost time at every start. Version 1 is faster to join (see `ownDoors`);
    // version 2 counts anyway where it limits something.
    const limitsInV2 = found.some(({ version, controllers }) => version === 2 && controllers.size > 0)
    const countsInV1 = found.some(({ version, controllers }) => version === 1 && controllers.has('cpuacct'))
    const isNeeded = ({ version, controllers }: Hierarchy) =>
      version === 2 ? limitsInV2 || !countsInV1 : !limitsInV2 || [...controllers].some(each => each !== 'cpuacct')
    this.#hierarchies = found.filter(isNeeded)
    leaveHierarchies(
      found.filter(each => !isNeeded(each)),
      name,
    )
  }

  /** The limits that are enforced here, and those that are not. */
  get limits(): { readonly enforced: readonly Controller[]; readonly missing: readonly Controller[] } {
    const has = (controller: Controller) => this.#hierarchies.some(({ controllers }) => controllers.has(controller))
    return { enforced: limiting.filter(has), missing: limiting.filter(each => !has(each)) }
  }

  /** How the machine has them, for people. */
  get version(): 'v1' | 'v2' | 'none' {
    const limits = this.#hierarchies.find(({ controllers }) => controllers.has('pids') || controllers.has('memory'))
    return limits ? `v${limits.version}` : 'none'
  }

  /** Undefined when there is not a single tree to make one in. */
  group(name: string): Cgroup | undefined {
    return this.#hierarchies.length > 0 ? new Cgroup(this.#hierarchies, name) : undefined
  }

  /** Removes what holds our groups, when there are none left. */
  leave(): void {
    leaveHierarchies(this.#hierarchies, this.#name)
  }
}
