import { millis, SeededRandom, seconds, type VirtualNode, VirtualWorld } from '@stead/world'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { InProcessStore } from '../tests/in-process-store.ts'
import { ShardKeeper } from './shard-keeper.ts'
import { allShards, shardCount } from './shards.ts'

interface TestNode {
  readonly world: VirtualNode
  readonly keeper: ShardKeeper
  readonly told: string[]
}

class Cluster {
  readonly world: VirtualWorld
  readonly store: InProcessStore
  readonly nodes: TestNode[] = []
  drains = () => Promise.resolve()

  constructor(seed = 1) {
    this.world = new VirtualWorld({ seed })
    this.store = new InProcessStore(this.world)
  }

  start(): TestNode {
    const name = `n${this.nodes.length}`
    const world = this.world.node({ name })
    const told: string[] = []
    const keeper = new ShardKeeper({
      leases: this.store.leases,
      world,
      nodeId: name,
      alsoWant: ['maintenance'],
      user: {
        gained: shards => void told.push(...shards.map(shard => `+${shard}`)),
        lost: shards => void told.push(...shards.map(shard => `-${shard}`)),
        drain: async shard => {
          await this.drains()
          told.push(`~${shard}`)
        },
      },
    })
    keeper.start()
    const node = { world, keeper, told }
    this.nodes.push(node)
    return node
  }

  get alive(): TestNode[] {
    return this.nodes.filter(({ world }) => world.alive)
  }

  shares(): number[] {
    return this.alive.map(({ keeper }) => keeper.held().length)
  }

  /** No shard is worked on by two, and whoever holds one holds its newest fence. */
  async check(): Promise<void> {
    const newest = new Map((await this.world.run(this.store.leases.list())).map(({ name, fence }) => [name, fence]))
    for (const shard of allShards) {
      const fences = this.alive.flatMap(({ keeper }) => keeper.fence(shard) ?? [])
      expect(fences.length, `holders of shard ${shard}, seed ${this.world.seed}`).toBeLessThanOrEqual(1)
      for (const { lease, fence } of fences) expect(fence).toBe(newest.get(lease))
    }
  }
}

test('alone, a node holds everything at once and renews it in one call every 4 s', async () => {
  const cluster = new Cluster()
  const { keeper, told } = cluster.start()
  await cluster.world.runFor(millis(10))
  expect(keeper.held()).toEqual(allShards)
  expect(keeper.holds('maintenance')).toBe(true)
  expect(told).toEqual(allShards.map(shard => `+${shard}`))
  await cluster.world.runFor(seconds(60))
  expect(cluster.store.calls.acquire).toBe(1)
  expect(cluster.store.calls.renew).toBeGreaterThanOrEqual(14)
  expect(cluster.store.calls.renew).toBeLessThanOrEqual(15)
  expect(told).toHaveLength(shardCount)
})

test('shards spread evenly over nodes that come, and back when one leaves', async () => {
  const cluster = new Cluster()
  const first = cluster.start()
  await cluster.world.runFor(seconds(1))
  cluster.start()
  await cluster.world.runFor(seconds(8))
  expect(cluster.shares()).toEqual([16, 16])
  cluster.start()
  await cluster.world.runFor(seconds(12))
  expect(cluster.shares().toSorted()).toEqual([10, 11, 11])
  await cluster.check()
  expect(cluster.nodes.filter(({ keeper }) => keeper.holds('maintenance'))).toHaveLength(1)
  await cluster.world.run(first.keeper.stop())
  first.world.kill()
  await cluster.world.runFor(seconds(6))
  expect(cluster.shares()).toEqual([16, 16])
  expect(cluster.alive.filter(({ keeper }) => keeper.holds('maintenance'))).toHaveLength(1)
})

test('a shard is given up only when nothing of it runs any more', async () => {
  const cluster = new Cluster()
  const drained = Promise.withResolvers<void>()
  cluster.drains = () => drained.promise
  const { keeper } = cluster.start()
  await cluster.world.runFor(seconds(1))
  cluster.start()
  await cluster.world.runFor(seconds(20))
  expect(cluster.shares()).toEqual([32, 0])
  const leaving = allShards.filter(shard => !keeper.accepts(shard))
  expect(leaving).toHaveLength(1)
  expect(keeper.fence(leaving[0]!)).toBeDefined()
  drained.resolve()
  await cluster.world.runFor(seconds(4))
  expect(cluster.shares()).toEqual([16, 16])
})

test('what a dead node held is taken over when its leases have run out, and not before', async () => {
  const cluster = new Cluster()
  cluster.start()
  cluster.start()
  await cluster.world.runFor(seconds(20))
  expect(cluster.shares()).toEqual([16, 16])
  cluster.nodes[0]!.world.kill()
  await cluster.world.runFor(seconds(9))
  expect(cluster.shares()).toEqual([16])
  await cluster.world.runFor(millis(6_100))
  expect(cluster.shares()).toEqual([32])
})

test('a node that cannot renew knows that it is out before the store does', async () => {
  const cluster = new Cluster()
  const { keeper, told } = cluster.start()
  await cluster.world.runFor(seconds(1))
  const comeBack = cluster.store.goAway()
  // Asked at once and counted from there: 12 s, less the margin of 0.8 s, less the second that has passed.
  await cluster.world.runFor(millis(10_150))
  expect(keeper.held()).toHaveLength(shardCount)
  await cluster.world.runFor(millis(200))
  expect(keeper.held()).toEqual([])
  expect(told.slice(shardCount)).toEqual(allShards.map(shard => `-${shard}`))
  comeBack()
  await cluster.world.runFor(seconds(2))
  expect(keeper.held()).toHaveLength(shardCount)
})

test('a node that slept through its lease relies on nothing the moment it wakes', async () => {
  const cluster = new Cluster()
  const { keeper, world } = cluster.start()
  await cluster.world.runFor(seconds(1))
  world.stall(seconds(60))
  await cluster.world.runFor(seconds(59))
  expect(keeper.held()).toEqual([])
  expect(keeper.fence(0)).toBeUndefined()
})

test('stopping releases everything: the next node need not wait', async () => {
  const cluster = new Cluster()
  const first = cluster.start()
  await cluster.world.runFor(seconds(1))
  await cluster.world.run(first.keeper.stop())
  expect(first.keeper.held()).toEqual([])
  const next = cluster.start()
  await cluster.world.runFor(millis(10))
  expect(next.keeper.held()).toHaveLength(shardCount)
  expect(next.keeper.fence(0)!.fence).toBe(2)
})

test('a hundred starts leave no more leases behind than one', async () => {
  const cluster = new Cluster()
  for (let i = 0; i < 100; i++) {
    const { keeper, world } = cluster.start()
    await cluster.world.runFor(millis(50))
    await cluster.world.run(keeper.stop())
    world.kill()
  }
  expect(await cluster.world.run(cluster.store.leases.list())).toHaveLength(shardCount + 2)
})

test('whatever happens to nodes and store, no shard is ever held by two, and peace brings even shares', () =>
  fc.assert(
    fc.asyncProperty(fc.integer(), async seed => {
      const cluster = new Cluster(seed)
      const chance = new SeededRandom(`events/${seed}`)
      cluster.drains = () => cluster.world.sleep(millis(chance.below(3_000)))
      cluster.start()
      for (let i = 0; i < 25; i++) {
        const victim = cluster.alive[chance.below(cluster.alive.length)]
        const event = chance.below(6)
        if (event <= 1 || !victim) cluster.start()
        else if (event === 2) victim.world.kill()
        else if (event === 3) victim.world.stall(seconds(chance.below(40)))
        else if (event === 4) cluster.world.setTimer(seconds(chance.below(20)), cluster.store.goAway())
        for (let look = 0; look < 5; look++) {
          await cluster.world.runFor(millis(chance.below(2_000)))
          if (event !== 4) await cluster.check().catch(ignoreOutage)
        }
      }
      await cluster.world.runFor(seconds(90))
      await cluster.check()
      const shares = cluster.shares()
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(shares.length === 0 ? 0 : shardCount)
      expect(Math.max(0, ...shares)).toBeLessThanOrEqual(Math.ceil(shardCount / Math.max(1, shares.length)))
    }),
    { numRuns: 8 },
  ))

function ignoreOutage(error: unknown): void {
  if (!(error instanceof Error && error.name === 'UnavailableError')) throw error
}
