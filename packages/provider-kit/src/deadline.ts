import { type Duration, formatDuration, type World } from '@stead/world'
import { ProviderError } from './errors.ts'

/**
 * Waits for work that cannot be cancelled, and stops waiting the moment the signal says so. The work goes on: what it makes
 * after that is handed to `late`, so that the id of something that now exists is not lost.
 */
export function promptly<T>(work: Promise<T>, signal: AbortSignal | undefined, late?: (result: T) => void): Promise<T> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const leave = () => {
      reject(signal.reason)
      // Nobody waits for this failure any more; whoever asks again by token will see it.
      work.then(late, () => {})
    }
    if (signal.aborted) return leave()
    signal.addEventListener('abort', leave, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}

/** Gives a call at most this long. Past that it is told to stop, and the caller hears `Unavailable`: it may have happened. */
export async function withDeadline<T>(
  world: World,
  limit: Duration,
  call: (signal: AbortSignal) => Promise<T>,
  outer?: AbortSignal,
): Promise<T> {
  const deadline = new AbortController()
  const timer = world.setTimer(limit, () =>
    deadline.abort(new ProviderError('Unavailable', `no answer within ${formatDuration(limit)}`)),
  )
  const signal = outer ? AbortSignal.any([outer, deadline.signal]) : deadline.signal
  try {
    return await promptly(call(signal), signal)
  } finally {
    timer.cancel()
  }
}
