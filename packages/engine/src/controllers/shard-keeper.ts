import { type Duration, millis, seconds, type World } from '@stead/world'
import type { Leases } from '../words/lease.ts'
import { type Logger, silentLogger } from '../words/logger.ts'
import { type HeldLease, LeaseKeeper } from './lease-keeper.ts'
import { allShards, type Fence, planShards, shardLease } from './shards.ts'

/** Who works on the keys of shards, and is told which. */
export interface ShardUser {
  /** From now on these are this node's. */
  gained(shards: readonly number[]): void
  /** These are not, or not surely: what runs must stop. */
  lost(shards: readonly number[]): void
  /** To be given up: nothing of it starts any more. Resolves when nothing of it runs. */
  drain(shard: number): Promise<void>
}

export interface ShardKeeperOptions {
  readonly leases: Leases
  readonly world: World
  /** Of this process and no other, not even of an earlier run of it. */
  readonly nodeId: string
  readonly user: ShardUser
  /** Leases to hold whenever nobody else does, beside the shards. */
  readonly alsoWant?: readonly string[]
  readonly ttl?: Duration
  readonly renewEvery?: Duration
  readonly log?: Logger
  /** Called after each round, whatever came of it. */
  readonly onRound?: () => void
}

/** A node that died is taken over within 15 s: its lease runs out after at most 12, and the rest is for a slow store. */
const defaultTtl = seconds(12)
/** Two renewals may fail before a third is too late. */
const defaultRenewEvery = seconds(4)
/** Others are giving up shards for us, or the store is away: look again soon. */
const impatience = seconds(1)
/** Past the end of somebody's lease, so that it is over when we look. */
const afterExpiry = 20

/**
 * Holds this node's share of the shards. All calls to the store come from one loop, one after the other; what happens
 * between them (a drain that ended, a lease that ran out) only makes the next round come sooner.
 */
export class ShardKeeper {
  private readonly options: ShardKeeperOptions
  private readonly log: Logger
  private readonly keeper: LeaseKeeper
  private readonly ttl: Duration
  private readonly renewEvery: Duration
  private readonly stopping = new AbortController()
  private readonly shardsByLease = new Map(allShards.map(shard => [shardLease(shard), shard]))
  private leaving: { readonly shard: number; isDrained: boolean } | undefined
  private nap = new AbortController()
  private running: Promise<void> | undefined
  private renewedAt = Number.NEGATIVE_INFINITY

  constructor(options: ShardKeeperOptions) {
    this.options = options
    this.log = options.log ?? silentLogger
    this.ttl = options.ttl ?? defaultTtl
    this.renewEvery = options.renewEvery ?? defaultRenewEvery
    this.keeper = new LeaseKeeper({
      leases: options.leases,
      world: options.world,
      holder: options.nodeId,
      ttl: this.ttl,
      margin: millis(this.ttl / 15),
      onLost: names => this.lost(names),
    })
  }

  start(): void {
    this.running ??= this.run()
  }

  /** Stops renewing and lets go of everything. Whoever used the shards has stopped before. */
  async stop(): Promise<void> {
    this.stopping.abort()
    this.nap.abort()
    await this.running
    await this.keeper
      .release(this.keeper.names())
      .catch(error => this.log.warn({ error }, 'leases could not be released: they will run out by themselves'))
  }

  /** Whether work on this shard may start here now. */
  accepts(shard: number): boolean {
    return this.leaving?.shard !== shard && this.holding(shard) !== undefined
  }

  /** What every write for this shard expects; undefined when it is not surely ours now. */
  fence(shard: number): Fence | undefined {
    const lease = this.holding(shard)
    return lease && { type: 'fence', lease: lease.name, fence: lease.fence }
  }

  /** Whether this node holds one of the leases it wanted beside the shards. */
  holds(name: string): boolean {
    return this.keeper.holding(name) !== undefined
  }

  held(): readonly number[] {
    return allShards.filter(shard => this.holding(shard))
  }

  private holding(shard: number): HeldLease | undefined {
    return this.keeper.holding(shardLease(shard))
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const pause = await this.round().catch(error => {
        this.log.warn({ error }, 'leases could not be looked after; trying again')
        return impatience
      })
      this.options.onRound?.()
      await this.sleep(pause)
    }
  }

  /** Renews, looks who is there, takes and gives up. Answers how long to wait until the next. */
  private async round(): Promise<Duration> {
    const { world, leases, nodeId } = this.options
    if (world.monotonic() - this.renewedAt >= this.renewEvery - 1) {
      const sent = world.monotonic()
      await this.keeper.renew()
      this.renewedAt = sent
    }
    await this.finishLeaving()
    const seen = await leases.list()
    const plan = planShards({ holder: nodeId, held: new Set(this.heldOrLeaving()), leases: seen })
    if (this.stopping.signal.aborted) return millis(0)
    const gained = await this.keeper.acquire([
      ...(plan.register ? [plan.register] : []),
      ...(this.options.alsoWant ?? []).filter(name => !this.holds(name)),
      ...plan.take.map(shardLease),
    ])
    this.gained(gained)
    if (plan.surplus > 0) this.leave()
    const untilRenewal = this.renewedAt + this.renewEvery - world.monotonic()
    const patience = plan.isHungry ? impatience : this.renewEvery
    return millis(Math.max(0, Math.min(untilRenewal, patience, plan.nextExpiry + afterExpiry)))
  }

  private heldOrLeaving(): readonly number[] {
    return this.keeper.names().flatMap(name => this.shardsByLease.get(name) ?? [])
  }

  private gained(leases: readonly HeldLease[]): void {
    const shards = this.shardsOf(leases.map(({ name }) => name))
    if (shards.length === 0) return
    this.log.info({ shards }, 'shards gained')
    this.options.user.gained(shards)
  }

  private lost(names: readonly string[]): void {
    const shards = this.shardsOf(names)
    if (this.leaving && shards.includes(this.leaving.shard)) this.leaving = undefined
    if (shards.length === 0) return
    this.log.warn({ shards }, 'shards lost')
    this.options.user.lost(shards)
    this.nap.abort()
  }

  private shardsOf(names: readonly string[]): readonly number[] {
    return names.flatMap(name => this.shardsByLease.get(name) ?? [])
  }

  /** One at a time: the rest of the work goes on here until its turn. */
  private leave(): void {
    const shard = this.heldOrLeaving().at(-1)
    if (this.leaving || shard === undefined) return
    const leaving = { shard, isDrained: false }
    this.leaving = leaving
    void this.options.user.drain(shard).then(() => {
      leaving.isDrained = true
      this.nap.abort()
    })
  }

  private async finishLeaving(): Promise<void> {
    const { leaving } = this
    if (!leaving?.isDrained) return
    this.leaving = undefined
    this.log.info({ shard: leaving.shard }, 'shard given up for another node')
    await this.keeper.release([shardLease(leaving.shard)])
  }

  private async sleep(length: Duration): Promise<void> {
    if (this.leaving?.isDrained || this.stopping.signal.aborted) return
    this.nap = new AbortController()
    await this.options.world.sleep(length, this.nap.signal).catch(() => {})
  }
}
