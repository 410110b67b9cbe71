import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { uptime } from 'node:os'
import type { World } from '@stead/world'
import type { Evidence } from './out-of-memory.ts'
import { time } from './view.ts'

/** No record is longer. */
const longest = 8_192
/**
 * The log counts from the start of the machine by a clock that nobody sets: it is 10 s off after a day at worst. So a kill of
 * the run before may count for this one, but none is missed.
 */
const inexactness = { least: 1_000, share: 1e-4 }

export interface Kernel {
  /** The records of its log, the oldest first. */
  records(): AsyncIterable<string>
  /** How long it has been running, in milliseconds. */
  age(): number
}

/**
 * What the kernel says of a container that it killed. Podman 4 never learns it: it looks for a note of conmon's where conmon
 * does not leave it (https://github.com/containers/conmon/issues/504). Nor do its events tell: a stop that had to kill may
 * leave none. The kernel names the container by its id, so on another machine than the engine's nothing is found, and nothing
 * is claimed.
 */
export const kernelLog =
  (world: World, kernel: Kernel = thisKernel): Evidence =>
  async ({ Id, State }) => {
    const slack = inexactness.least + inexactness.share * kernel.age()
    const [from, to] = [time(State.StartedAt) - slack, time(State.FinishedAt) + slack]
    const start = world.now() - kernel.age()
    for await (const record of kernel.records()) {
      const killedAt = killOf(record, Id)
      if (killedAt !== undefined && start + killedAt >= from && start + killedAt <= to) return true
    }
    return false
  }

/** When the kernel killed something in this container, in milliseconds since its start. Only it writes with a level below 8. */
function killOf(record: string, container: string): number | undefined {
  const [, micros, group] = /^[0-7],\d+,(\d+),[^;]*;oom-kill:.*?,task_memcg=([^,]*),/.exec(record) ?? []
  return group?.includes(`libpod-${container}`) ? Number(micros) / 1_000 : undefined
}

const thisKernel: Kernel = {
  age: () => uptime() * 1_000,
  async *records() {
    let log: Awaited<ReturnType<typeof open>>
    try {
      log = await open('/dev/kmsg', constants.O_RDONLY | constants.O_NONBLOCK)
    } catch {
      return // We may not read it, or there is none: nothing is known then.
    }
    try {
      const buffer = Buffer.alloc(longest)
      for (;;) {
        try {
          const { bytesRead } = await log.read(buffer)
          yield buffer.toString('utf8', 0, bytesRead)
        } catch (error) {
          const { code } = error as NodeJS.ErrnoException
          // The record was overwritten before it was read: the next is the oldest there is.
          if (code === 'EPIPE') continue
          if (code === 'EAGAIN') return // There is no more.
          throw error
        }
      }
    } finally {
      await log.close()
    }
  },
}
