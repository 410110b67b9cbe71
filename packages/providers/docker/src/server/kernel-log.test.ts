import { instant, realWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { ended } from '../tests/ended.ts'
import { kernelLog } from './kernel-log.ts'

const id = '5636ce09036f'
/** The machine was started an hour before the container, and it is an hour after its end. */
const [hour, lived] = [3_600_000, 10_000]
const world = { ...realWorld, now: () => instant(Date.parse('2026-01-01T00:00:10Z') + hour) }

const kill = (millis: number, group: string, level = 6) =>
  `${level},117864,${millis * 1_000},-;oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=x,mems_allowed=0,` +
  `oom_memcg=${group},task_memcg=${group},task=sh,pid=23700,uid=0\n`

const isOutOfMemory = (...records: readonly string[]): Promise<boolean> =>
  kernelLog(world, {
    age: () => 2 * hour + lived,
    async *records() {
      yield* records
    },
  })({ ...ended(), Id: id })

const atEnd = hour + lived

test.each([
  ['version 1', `/libpod_parent/libpod-${id}`],
  ['version 2', `/machine.slice/libpod-${id}.scope/container`],
])('a kill in the control group of a container is found: %s', async (_, group) =>
  expect(await isOutOfMemory('6,1,1,-;usb 1-1: new device\n', kill(atEnd, group))).toBe(true),
)

test.each([
  ['nothing', []],
  ['a kill in another container', [kill(atEnd, '/libpod_parent/libpod-0000')]],
  ['a kill in an earlier run', [kill(atEnd - 60_000, `/libpod_parent/libpod-${id}`)]],
  ['a kill in a later run', [kill(atEnd + 60_000, `/libpod_parent/libpod-${id}`)]],
  ['a lie of a program', [kill(atEnd, `/libpod_parent/libpod-${id}`, 14)]],
])('%s is no evidence', async (_, records) => expect(await isOutOfMemory(...records)).toBe(false))
