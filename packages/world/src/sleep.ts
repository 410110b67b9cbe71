import type { World } from './world.ts'

/** Sleeping, on top of anything that has timers. */
export const sleepOn =
  (setTimer: World['setTimer']): World['sleep'] =>
  (delay, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const stop = () => {
        timer.cancel()
        reject(signal!.reason)
      }
      const timer = setTimer(delay, () => {
        signal?.removeEventListener('abort', stop)
        resolve()
      })
      signal?.addEventListener('abort', stop, { once: true })
    })
