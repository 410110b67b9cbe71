import { randomFillSync } from 'node:crypto'
import { type Duration, millis } from './duration.ts'
import { instant } from './instant.ts'
import type { World } from './world.ts'

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

function sleep(delay: Duration, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal!.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, delay)
    signal?.addEventListener('abort', stop, { once: true })
  })
}

/** The machine we run on. */
export const realWorld: World = {
  now: () => instant(Date.now()),
  monotonic: () => millis(performance.now()),
  setTimer(delay, fire) {
    const timer = setTimeout(fire, delay)
    return { cancel: () => clearTimeout(timer) }
  },
  sleep,
  random: () => Math.random(),
  randomBytes: takeRandom,
}
