import type { World } from '@stead/world'
import type { OutsideCall } from './controller.ts'
import { DeadlineError, ObserveOnlyError } from './errors.ts'
import type { OutsideMetrics, OutsideResult } from './runtime-metrics.ts'

export interface Door {
  readonly world: World
  readonly metrics: OutsideMetrics
  readonly observeOnly: boolean
  /** Aborted as soon as the shard is not surely ours any more. */
  readonly signal: AbortSignal
}

/**
 * Performs one call to the outside: counted, measured, refused where it must be, and over by its deadline even if what
 * it calls does not listen to the signal. What such a call still does after that is counted as over, because the next
 * reconcile cannot wait for something that may never end; launch tokens are what makes that safe.
 */
export async function callOutside<T>(
  { world, metrics, observeOnly, signal }: Door,
  call: OutsideCall,
  perform: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const count = (result: OutsideResult) => metrics.calls.with({ call: call.name, result }).add()
  if (call.mutates && observeOnly) {
    count('refused')
    throw new ObserveOnlyError(call.name)
  }
  signal.throwIfAborted()
  const began = world.monotonic()
  // One that follows the other by hand: AbortSignal.any shows in profiles, and every call to a backend passes here.
  const either = new AbortController()
  const follow = () => either.abort(signal.reason)
  signal.addEventListener('abort', follow, { once: true })
  const timer = world.setTimer(call.deadline, () => either.abort(new DeadlineError(call.name, call.deadline)))
  try {
    const answer = await Promise.race([perform(either.signal), aborted(either.signal)])
    count('done')
    return answer
  } catch (error) {
    if (signal.aborted) count('lost')
    else count(either.signal.aborted ? 'deadline' : 'failed')
    throw error
  } finally {
    signal.removeEventListener('abort', follow)
    timer.cancel()
    metrics.duration.with({ call: call.name }).observe((world.monotonic() - began) / 1_000)
  }
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
