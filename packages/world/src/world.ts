import type { Duration } from './duration.ts'
import type { Instant } from './instant.ts'

/** A timer that has been set and may still be cancelled. */
export interface Timer {
  cancel(): void
}

/**
 * Everything nondeterministic, in one place: time, randomness, waiting.
 * Nothing else in the house may ask the machine for these, so that a simulation
 * can run the whole system on a virtual clock and replay any run from its seed.
 */
export interface World {
  /** Wall-clock time. It may jump; use it for what people see, never to measure a wait. */
  now(): Instant
  /** Time that never goes back, from an arbitrary start. Use it for deadlines and leases. */
  monotonic(): Duration
  /** Runs `fire` once after `delay`. */
  setTimer(delay: Duration, fire: () => void): Timer
  /** Resolves after `delay`; rejects with the signal's reason when it is aborted first. */
  sleep(delay: Duration, signal?: AbortSignal): Promise<void>
  /** A number in [0, 1). For jitter and choices, never for secrets. */
  random(): number
  /** Unpredictable bytes in the real world; seeded ones in a simulation. */
  randomBytes(length: number): Uint8Array
}
