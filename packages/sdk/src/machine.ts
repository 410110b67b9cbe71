/**
 * The clock and the dice of the machine, for clients that run where no control plane does. The only file of the SDK that
 * asks for them: tests give others.
 */
export interface Machine {
  /** Milliseconds since some moment. They only grow. */
  now(): number
  /** Rejects with the signal's reason when that comes first. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
  /** From 0 to 1. */
  random(): number
}

export const thisMachine: Machine = {
  now: () => performance.now(),
  random: () => Math.random(),
  sleep(milliseconds, signal) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const stop = () => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop)
        resolve()
      }, milliseconds)
      signal?.addEventListener('abort', stop, { once: true })
    })
  },
}
