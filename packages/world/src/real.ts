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
  const bytes = Uint8Array.prototype.slice.call(pool, poolUsed, poolUsed + length)
  pool.fill(0, poolUsed, poolUsed + length)
  poolUsed += length
  return bytes
}

/** setTimeout fires at once when asked for more than this (24.8 days). */
const longestTimeout = 2 ** 31 - 1

function setTimer(delay: Duration, fire: () => void): Timer {
  let timeout: NodeJS.Timeout
  const wait = (rest: number) => {
    timeout = rest > longestTimeout ? setTimeout(wait, longestTimeout, rest - longestTimeout) : setTimeout(fire, rest)
  }
  // What is left until a deadline is less than nothing once a busy process has slept past it: Node would warn of it.
  wait(Math.max(0, delay))
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
