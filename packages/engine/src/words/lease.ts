import type { Duration, Instant } from '@stead/world'

/** Who holds something, until when. The fence grows with every new holding and never shrinks. */
export interface Lease {
  readonly name: string
  readonly holder: string
  readonly fence: number
  /** By the store's clock. */
  readonly expiresAt: Instant
}

export interface LeaseRequest {
  readonly names: readonly string[]
  readonly holder: string
  readonly ttl: Duration
}

/** Leases are not in the log: renewing them costs no revision and wakes nobody. */
export interface Leases {
  /**
   * Takes every named lease that is free, expired, or already this holder's; answers those it now holds.
   * Taking one anew raises its fence. One already held is renewed and keeps its fence.
   */
  acquire(request: LeaseRequest): Promise<readonly Lease[]>
  /** Extends those still held by this holder and not expired; answers them. Never revives an expired lease. */
  renew(request: LeaseRequest): Promise<readonly Lease[]>
  /**
   * Lets go of these, as they were last answered; their fences stay. One that was taken or extended since stays as it
   * is: a release may arrive late, when its sender has taken the lease again and relies on it.
   */
  release(leases: readonly Lease[]): Promise<void>
  /** Every lease that was ever held, expired ones too, with how long it still runs by the store's clock. */
  list(): Promise<readonly (Lease & { readonly remaining: Duration })[]>
}
