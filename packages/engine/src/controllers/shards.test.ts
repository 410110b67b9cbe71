import { instant } from '@stead/world'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { allShards, planShards, type SeenLease, shardCount, shardLease, shardOf } from './shards.ts'

const lease = (name: string, holder: string, remaining = 10_000): SeenLease => ({
  name,
  holder,
  fence: 1,
  expiresAt: instant(0),
  remaining,
})

test('keys spread evenly over the shards, and each has one for ever', () => {
  const counts = new Array(shardCount).fill(0)
  for (let i = 0; i < 32_000; i++) counts[shardOf({ kind: 'widget', id: `wid_${i}` })]++
  for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(200)
  expect(shardOf({ kind: 'widget', id: 'wid_0190f5c2-0000-7000-8000-000000000000' })).toBe(12)
  expect(shardOf({ kind: 'gadget', id: 'gad_0190f5c2-0000-7000-8000-000000000000' })).toBe(18)
})

test('alone, a node takes everything and the first place', () => {
  const plan = planShards({
    holder: 'a',
    held: new Set(),
    leases: [lease('shard/3', 'dead', -1), lease('node/0', 'dead', 0)],
  })
  expect(plan).toMatchObject({ register: 'node/0', surplus: 0, isHungry: true })
  expect(plan.take).toEqual(allShards)
})

test('a newcomer takes only what is free, and others see that they hold too much', () => {
  const leases = [lease('node/0', 'a'), ...allShards.map(shard => lease(shardLease(shard), 'a'))]
  expect(planShards({ holder: 'b', held: new Set(), leases })).toMatchObject({
    register: 'node/1',
    take: [],
    isHungry: true,
    nextExpiry: 10_000,
  })
  const both = [...leases, lease('node/1', 'b')]
  expect(planShards({ holder: 'a', held: new Set(allShards), leases: both })).toMatchObject({
    register: undefined,
    surplus: 16,
    isHungry: false,
  })
})

test('any number of nodes, in any state, come to even shares by following their plans', () =>
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 40 }),
      fc.array(fc.nat(39), { minLength: shardCount, maxLength: shardCount }),
      fc.infiniteStream(fc.nat()),
      (nodes, owners, choices) => {
        const held = Array.from({ length: nodes }, () => new Set<number>())
        for (const [shard, owner] of owners.entries()) held[owner]?.add(shard)
        const leases = () => [
          ...held.map((_, node) => lease(`node/${node}`, `n${node}`)),
          ...held.flatMap((shards, node) => [...shards].map(shard => lease(shardLease(shard), `n${node}`))),
        ]
        for (let round = 0; round < 4 * nodes; round++) {
          const node = choices.next().value! % nodes
          const plan = planShards({ holder: `n${node}`, held: held[node]!, leases: leases() })
          expect(plan.take.every(shard => held.every(shards => !shards.has(shard)))).toBe(true)
          for (const shard of plan.take) held[node]!.add(shard)
          if (plan.surplus > 0) held[node]!.delete([...held[node]!].at(-1)!)
        }
        // Everybody has had a turn once nobody wants anything.
        for (let calm = false; !calm; ) {
          calm = true
          for (const [node, shards] of held.entries()) {
            const plan = planShards({ holder: `n${node}`, held: shards, leases: leases() })
            for (const shard of plan.take) shards.add(shard)
            if (plan.surplus > 0) shards.delete([...shards].at(-1)!)
            if (plan.take.length > 0 || plan.surplus > 0) calm = false
          }
        }
        const sizes = held.map(({ size }) => size)
        expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(shardCount)
        expect(Math.max(...sizes)).toBeLessThanOrEqual(Math.ceil(shardCount / nodes))
      },
    ),
    { numRuns: 60 },
  ))
