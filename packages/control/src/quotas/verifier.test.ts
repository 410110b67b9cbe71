import { changeSet, createMetrics, type Logger, type Store, silentLogger } from '@stead/engine'
import { newId, realWorld } from '@stead/world'
import { describe, expect, test } from 'vitest'
import { eventsTable } from '../events/model.ts'
import { counterOf } from './counters.ts'
import { limitsOf } from './limits.ts'
import { countingHouse } from './tests/counting-house.ts'
import { sqliteHomes } from './tests/sqlite-homes.ts'
import { QuotaVerifier } from './verifier.ts'
import { findDrift } from './verify.ts'

describe('the verifier', () => {
  const house = countingHouse(sqliteHomes)
  const newThing = () => newId(realWorld, 'thing')

  function verifier(log: Logger = silentLogger) {
    const metrics = createMetrics()
    const { engine, store } = house.node()
    return { metrics, verifier: new QuotaVerifier({ engine, store, world: realWorld, metrics, log }) }
  }

  /** Something that is charged, and exists. */
  async function thing(payer: { organization: string; project: string }, amounts = { instances: 1, cpuMillis: 100 }) {
    const id = newThing()
    const object = { kind: 'thing', id, labels: {}, finalizers: [], createdAt: realWorld.now(), spec: {}, status: {} }
    await house.try(set => set.create(object))
    await house.charge(payer, id, amounts)
    return id
  }

  /** What a bug would do: a counter moves, and no allocation with it. */
  const lose = (counter: string, by: number) => house.try(set => set.move(counter, by))

  test('finds nothing where nothing is wrong, whatever happens meanwhile', async () => {
    const payer = house.newPayer()
    const { verifier: watching, metrics } = verifier()
    await house.limit(payer, { instances: 1_000 })
    let isOver = false
    const busy = Array.from({ length: 8 }, async () => {
      while (!isOver) {
        const id = await thing(payer)
        await house.charge(payer, id, { instances: 1, cpuMillis: 300 })
        if (realWorld.random() < 0.7)
          await house.try(set => set.remove(house.everything().get('thing', id)!)).then(() => house.release(id))
        else await house.charge(payer, id, { instances: 1 })
      }
    })
    for (let round = 0; round < 20; round++) {
      const { found } = await watching.verify()
      expect(found.filter(({ type }) => type !== 'orphan')).toEqual([])
    }
    isOver = true
    await Promise.all(busy)
    expect((await watching.verify()).found).toEqual([])
    expect(metrics.expose()).toContain('stead_quota_drift 0')
  })

  test('a counter that changes while it is read is not wrong', async () => {
    const payer = house.newPayer()
    const id = await thing(payer)
    const { engine, store } = house.node()
    // Read at a moment at which the thing is charged nothing; before and after it, it is.
    const changing: Pick<Store, 'counters'> = {
      async counters(prefix) {
        await house.charge(payer, id, {})
        const counters = await store.counters(prefix)
        await house.charge(payer, id, { instances: 1, cpuMillis: 100 })
        return counters
      },
    }
    expect(await findDrift({ engine, store: changing, world: realWorld })).toEqual([])
  })

  test('finds a counter that says too much or too little, tells of it once, and sets it right when asked to', async () => {
    const payer = house.newPayer()
    const { organization } = payer
    await thing(payer)
    await lose(counterOf(payer, 'cpuMillis'), 7)
    await lose(counterOf({ organization }, 'instances'), -1)
    const lines: string[] = []
    const { verifier: watching, metrics } = verifier({ ...silentLogger, error: (_, message) => lines.push(message) })
    const wrong = [
      { type: 'use', ...payer, kind: 'cpuMillis', counted: 107, allocated: 100 },
      { type: 'use', organization, kind: 'instances', counted: 0, allocated: 1 },
    ]
    const { found, isRepaired } = await watching.verify()
    expect(found).toHaveLength(2)
    expect(found).toEqual(expect.arrayContaining(wrong))
    expect(isRepaired).toBe(false)
    expect(metrics.expose()).toContain('stead_quota_drift 2')
    expect(lines).toContain(
      `quotas are wrong: project ${payer.project} is counted 107 cpuMillis, and its allocations add up to 100`,
    )
    await watching.verify({ repair: true })
    const events = await house.node().store.records({ table: eventsTable, scope: organization, limit: 10 })
    expect(events.map(({ body }) => (body as { reason: string }).reason)).toEqual(['QuotaDrift', 'QuotaDrift'])
    expect((await watching.verify()).found).toEqual([])
    expect(await house.used(payer)).toEqual({ instances: 1, cpuMillis: 100 })
    expect(await house.used({ organization })).toEqual({ instances: 1, cpuMillis: 100 })
  })

  test('a counter that belongs above its limit gets there, and its limit stays', async () => {
    const payer = house.newPayer()
    await thing(payer, { instances: 1, cpuMillis: 500 })
    await lose(counterOf(payer, 'cpuMillis'), -400)
    await house.limit(payer, { cpuMillis: 200 })
    const { verifier: watching } = verifier()
    await watching.verify({ repair: true })
    expect((await watching.verify()).found).toEqual([])
    expect((await house.used(payer)).cpuMillis).toBe(500)
    expect(limitsOf(house.everything(), payer)).toEqual({ cpuMillis: 200 })
    expect(await house.charge(payer, newThing(), { cpuMillis: 1 })).toMatchObject({ conflict: { limit: 200 } })
  })

  test('finds a limit that is set and not enforced', async () => {
    const payer = house.newPayer()
    await house.limit(payer, { gpus: 2 })
    await house.node().engine.commit(changeSet(realWorld).limit(counterOf(payer, 'gpus'), null))
    const { verifier: watching } = verifier()
    expect((await watching.verify({ repair: true })).found).toEqual([
      { type: 'limit', ...payer, kind: 'gpus', enforced: null, set: 2 },
    ])
    expect((await watching.verify()).found).toEqual([])
  })

  test('finds what is charged and no longer there, and gives it back', async () => {
    const payer = house.newPayer()
    const id = await thing(payer)
    await house.try(set => set.remove(house.everything().get('thing', id)!))
    const { verifier: watching } = verifier()
    expect((await watching.verify({ repair: true })).found).toEqual([
      { type: 'orphan', organization: payer.organization, for: { kind: 'thing', id } },
    ])
    expect(await house.used(payer)).toEqual({})
  })
})
