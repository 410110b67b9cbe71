import { type ChangeSet, createMetrics, silentLogger, UnavailableError } from '@stead/engine'
import { instant, seconds, VirtualWorld } from '@stead/world'
import { expect, test } from 'vitest'
import type { AuditBody } from './model.ts'
import { AuditWriter } from './writer.ts'

const entry = (n: number): AuditBody => ({
  actor: { id: 'sa_1', type: 'service-account', name: 'ci' },
  action: 'instances:credentials',
  request: `GET /${n}`,
  result: 'done',
  from: { address: '10.0.0.1' },
  count: 1,
})

/** A store that can be away, and forgets to answer once. */
function desk() {
  const world = new VirtualWorld({ seed: 1 })
  const metrics = createMetrics()
  const seen = new Map<string, ChangeSet>()
  const state = { isAway: false, losesAnswer: false }
  const writer = new AuditWriter({
    world,
    metrics,
    log: silentLogger,
    async commit(set) {
      if (state.isAway) throw new UnavailableError('away')
      seen.set(set.id, set)
      if (state.losesAnswer) {
        state.losesAnswer = false
        throw new UnavailableError('the answer was lost')
      }
      return { revision: 1, at: instant(0) }
    },
  })
  const written = () =>
    [...seen.values()].flatMap(({ records }) =>
      records.flatMap(({ table, body }) => (table === 'audit' ? [(body as AuditBody).request] : [])),
    )
  return { world, metrics, state, writer, written, sets: () => seen.size }
}

test('entries are gathered and written together, in order', async () => {
  const { world, writer, written, sets } = desk()
  for (let n = 0; n < 20; n++) writer.write(entry(n))
  expect(written()).toEqual([])
  await world.runFor(seconds(1))
  expect(written()).toEqual(Array.from({ length: 20 }, (_, n) => `GET /${n}`))
  expect(sets()).toBe(1)
})

test('while the store is away they wait, so many and no more, and those lost are counted', async () => {
  const { world, metrics, state, writer, written } = desk()
  state.isAway = true
  for (let n = 0; n < 11_000; n++) writer.write(entry(n))
  await world.runFor(seconds(30))
  expect(written()).toEqual([])
  expect(metrics.expose()).toContain('stead_audit_lost_total 1000')
  state.isAway = false
  await world.runFor(seconds(5))
  expect(written()).toHaveLength(10_000)
  expect(new Set(written()).size).toBe(10_000)
})

test('an answer that is lost does not make an entry twice', async () => {
  const { world, state, writer, written } = desk()
  state.losesAnswer = true
  writer.write(entry(1))
  await world.runFor(seconds(1))
  writer.write(entry(2))
  await world.runFor(seconds(10))
  expect(written()).toEqual(['GET /1', 'GET /2'])
})

test('closing writes what is left, and does not wait for a store that is away', async () => {
  const here = desk()
  here.writer.write(entry(1))
  await here.writer.close()
  expect(here.written()).toEqual(['GET /1'])
  const away = desk()
  away.state.isAway = true
  away.writer.write(entry(1))
  await away.writer.close()
  away.state.isAway = false
  await away.world.runUntilIdle()
  expect(away.written()).toEqual([])
})
