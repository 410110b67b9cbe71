import { millis, type Timer, type World } from '@stead/world'
import type { Cgroup } from '../cgroups/index.ts'

/** Reading one counter takes 15 µs. */
const interval = millis(100)

interface Watched {
  readonly cgroup: Cgroup
  readonly oomKills: number
  readonly onKill: () => void
}

/**
 * Where memory is limited by version 1 of control groups, the kernel kills one process of a service that has too much, and
 * tells nobody who is no C program. What is left of a service is then ended, as version 2 ends it by itself: half a service is
 * none, and its end is told with its reason. Only services with a limit on such a machine are looked at.
 */
export class MemoryWatch {
  readonly #world: World
  readonly #watched = new Set<Watched>()
  #timer: Timer | undefined

  constructor(world: World) {
    this.#world = world
  }

  /** Calls `onKill` once, when something in the group has been killed since it had so many. */
  watch(watched: Watched): () => void {
    if (!watched.cgroup.killsOneByOne) return () => {}
    this.#watched.add(watched)
    this.#wait()
    return () => this.#watched.delete(watched)
  }

  #wait(): void {
    if (this.#watched.size === 0) return
    this.#timer ??= this.#world.setTimer(interval, () => {
      this.#timer = undefined
      for (const watched of this.#watched) this.#look(watched)
      this.#wait()
    })
  }

  #look(watched: Watched): void {
    if (watched.cgroup.oomKills() <= watched.oomKills) return
    this.#watched.delete(watched)
    watched.onKill()
  }
}
