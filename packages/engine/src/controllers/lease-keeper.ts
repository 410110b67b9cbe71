import { type Duration, millis, type Timer, type World } from '@stead/world'
import type { Lease, Leases } from '../words/lease.ts'

/** A lease as its holder may rely on it. */
export interface HeldLease extends Lease {
  /** Until when, by this node's monotonic clock. */
  readonly validUntil: Duration
}

export interface LeaseKeeperOptions {
  readonly leases: Leases
  readonly world: World
  readonly holder: string
  readonly ttl: Duration
  /** How much earlier than the store this node takes a lease to be over: for clocks that run at different speeds. */
  readonly margin: Duration
  /** No longer ours, or no longer surely so. */
  readonly onLost: (names: readonly string[]) => void
}

/**
 * Leases of one holder, and until when each can be relied upon. The store counts a lease from when it answers; here it
 * counts from when the question was sent, which is never later. One call renews them all.
 */
export class LeaseKeeper {
  private readonly options: LeaseKeeperOptions
  private readonly held = new Map<string, HeldLease>()
  private expiry: Timer | undefined

  constructor(options: LeaseKeeperOptions) {
    this.options = options
  }

  /** The lease, if it can be relied upon now. A clock that jumped ahead while this process slept is asked each time. */
  holding(name: string): HeldLease | undefined {
    const lease = this.held.get(name)
    return lease && this.options.world.monotonic() < lease.validUntil ? lease : undefined
  }

  names(): readonly string[] {
    return [...this.held.keys()]
  }

  /** Renews everything held. What the store no longer grants is lost. */
  async renew(): Promise<void> {
    const names = this.names()
    if (names.length === 0) return
    const { leases, holder, ttl } = this.options
    const sent = this.options.world.monotonic()
    const renewed = await leases.renew({ names, holder, ttl })
    this.expire()
    const granted = new Set(renewed.map(({ name }) => name))
    this.lose(names.filter(name => this.held.has(name) && !granted.has(name)))
    // One that ran out while the question was under way is lost already, and stays so until it is acquired anew.
    this.keep(
      renewed.filter(({ name }) => this.held.has(name)),
      sent,
    )
  }

  /** Takes those of these that are free; answers the ones it did not hold before. */
  async acquire(names: readonly string[]): Promise<readonly HeldLease[]> {
    if (names.length === 0) return []
    const { leases, holder, ttl, world } = this.options
    const sent = world.monotonic()
    const acquired = await leases.acquire({ names, holder, ttl })
    this.expire()
    const before = new Map(this.held)
    this.lose(
      acquired.filter(({ name, fence }) => (before.get(name)?.fence ?? fence) !== fence).map(({ name }) => name),
    )
    this.keep(acquired, sent)
    return acquired.flatMap(({ name, fence }) => {
      const lease = this.holding(name)
      return lease && before.get(name)?.fence !== fence ? [lease] : []
    })
  }

  /** Lets go. From this moment on they are not held here, whatever becomes of the call. */
  async release(names: readonly string[]): Promise<void> {
    const ours = names.flatMap(name => this.held.get(name) ?? [])
    for (const { name } of ours) this.held.delete(name)
    this.watchExpiry()
    if (ours.length > 0) await this.options.leases.release(ours)
  }

  private keep(leases: readonly Lease[], sent: Duration): void {
    const { ttl, margin } = this.options
    const validUntil = millis(sent + ttl - margin)
    for (const { name, holder, fence, expiresAt } of leases)
      this.held.set(name, { name, holder, fence, expiresAt, validUntil })
    this.watchExpiry()
  }

  private lose(names: readonly string[]): void {
    if (names.length === 0) return
    for (const name of names) this.held.delete(name)
    this.watchExpiry()
    this.options.onLost(names)
  }

  private watchExpiry(): void {
    this.expiry?.cancel()
    this.expiry = undefined
    if (this.held.size === 0) return
    const { world } = this.options
    const first = Math.min(...Array.from(this.held.values(), ({ validUntil }) => validUntil))
    this.expiry = world.setTimer(millis(Math.max(0, first - world.monotonic())), () => this.expire())
  }

  /** Before anything is kept longer, too: whoever saw a lease run out is told that it was lost. */
  private expire(): void {
    const now = this.options.world.monotonic()
    this.lose([...this.held.values()].filter(({ validUntil }) => validUntil <= now).map(({ name }) => name))
    this.watchExpiry()
  }
}
