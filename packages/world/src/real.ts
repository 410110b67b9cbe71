import { randomFillSync } from 'node:crypto'
import { type Duration, millis } from './duration.ts'
import { instant } from './instant.ts'
import { sleepOn } from './sleep.ts'
import type { Timer, World } from './world.ts'

// One system call fills many ids: randomFillSync costs about 1 µs however few bytes it is asked for.
const pool = Buffer.alloc(4_096)
let poolUsed = pool.length

function takeRandom(length: number): Uint8Array {
  if (length > pool.length) return randomFillSync(new Uint8Array(length))
  if (poolUsed + length > pool.length) {
    randomFillSync(pool)
    poolUsed = 0
  }
  // By hand: for as few as an id has, three times as fast as a slice and a fill. What is taken does not stay behind.
  const bytes = new Uint8Array(length)
  for (let index = 0; index < length; index++) {
    bytes[index] = pool[poolUsed]!
    pool[poolUsed++] = 0
  }
  return bytes
}

/** setTimeout fires at once when asked for more than this (24.8 days). */
const longestTimeout = 2 ** 31 - 1

function setTimer(delay: Duration, fire: () => void): Timer {
  // As soon as others have had their turn: Node's shortest timeout is a millisecond, in which there may be nothing to do.
  if (delay <= 0) {
    const immediate = setImmediate(fire)
    return { cancel: () => clearImmediate(immediate) }
  }
  let timeout: NodeJS.Timeout
  const wait = (rest: number) => {
    timeout = rest > longestTimeout ? setTimeout(wait, longestTimeout, rest - longestTimeout) : setTimeout(fire, rest)
  }
  wait(delay)
  return { cancel: () => clearTimeout(timeout) }
}

/** The machine we run on. */
export const realWorld: World = {
  now: () => instant(Date.now()),
  monotonic: () => millis(performance.now()),
  setTimer,
  sleep: sleepOn(setTimer),
  random: () => Math.random(),
  randomBytes: takeRandom,
}
