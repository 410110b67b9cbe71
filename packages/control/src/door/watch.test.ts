import { type ChangeSet, changeSet, type Revision } from '@stead/engine'
import { millis, realWorld, seconds } from '@stead/world'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nobody } from '../identity/caller.ts'
import { defaultLimits } from './limits.ts'
import { EventClient, type ReceivedEvent } from './tests/event-client.ts'
import { openOwn, type Shop, shareHouse } from './tests/shop.ts'

const openShop = shareHouse()

import { Widget } from './tests/widgets.ts'

const streams = { ...defaultLimits.streams, heartbeat: millis(50) }
const watchUrl = (shop: Shop, query = '') => `${shop.house.url}${shop.watch}?${query}`
const isChange = ({ event }: ReceivedEvent) => event === 'put' || event === 'remove'
const summary = ({ event, data }: ReceivedEvent) => `${event} ${data.metadata.name} ${data.metadata.revision}`

const draft = (shop: Shop, name: string, project = shop.ids.shop) =>
  Widget.draft({
    world: realWorld,
    caller: nobody,
    place: { type: 'project', organizationId: shop.ids.organization, projectId: project },
    name,
    labels: {},
    spec: { size: 1 },
    status: { phase: 'running' },
  })

describe('a watch', () => {
  test('sends what happens to the kinds and the project asked for, as objects are read', async () => {
    const shop = await openShop()
    const { house } = shop
    const client = await EventClient.open(shop.token, watchUrl(shop, 'kinds=widget'))
    expect(client.status).toBe(200)
    await house.commit(changeSet(realWorld).create({ ...draft(shop, 'elsewhere'), projectId: shop.ids.lab }))
    await house.commit(changeSet(realWorld).create({ ...draft(shop, 'gadget'), kind: 'gadget' }))
    const made = await shop.make('w1')
    await shop.call('PATCH', `${shop.widgets}/w1`, { body: { spec: { size: 5 } } })
    await shop.call('DELETE', `${shop.widgets}/w1`)
    await client.until(({ event }) => event === 'remove')
    const [put, changed, removed] = client.events.filter(isChange)
    expect(put).toEqual({ id: String(made.body.metadata.revision), event: 'put', data: made.body })
    expect(changed).toMatchObject({ event: 'put', data: { spec: { size: 5 } } })
    expect(removed).toMatchObject({ event: 'remove', data: { spec: { size: 5 } } })
    expect(client.events.filter(isChange)).toHaveLength(3)
    client.leave()
  })

  test('beats, and each beat carries the revision reached', async () => {
    const shop = await openOwn({ limits: { streams } })
    const { house } = shop
    const client = await EventClient.open(shop.token, watchUrl(shop))
    const first = await client.until(({ event }) => event === 'heartbeat')
    expect(first).toMatchObject({ id: String(house.cache.revision), data: { revision: house.cache.revision } })
    await house.commit(changeSet(realWorld).create({ ...draft(shop, 'elsewhere'), projectId: shop.ids.lab }))
    const moved = (revision: Revision) => (event: ReceivedEvent) =>
      event.event === 'heartbeat' && event.id === String(revision)
    expect(await client.until(moved(house.cache.revision))).toBeDefined()
    client.leave()
  })

  test('interrupted anywhere, any number of times, and taken up again is the log', async () => {
    // So few are kept that most readers who come back must be served from the store.
    const shop = await openOwn({ limits: { streams: { ...streams, keptEntries: 3 } } })
    const { house } = shop
    const { store, cache } = house
    let count = 0
    /** One to five changes in a change-set, some of them where the reader does not look. */
    const act = (kinds: readonly ('make' | 'change' | 'remove' | 'elsewhere')[]): ChangeSet => {
      const set = changeSet(realWorld)
      const present = [...cache.inProject(shop.ids.shop).list({ kind: Widget.kind }).items]
      for (const kind of kinds) {
        const old = kind === 'change' || kind === 'remove' ? present.shift() : undefined
        if (kind === 'elsewhere') set.create(draft(shop, `e${count++}`, shop.ids.lab))
        else if (!old) set.create(draft(shop, `w${count++}`))
        else if (kind === 'change') set.update(old, { labels: { count: String(count++) } })
        else set.remove(old)
      }
      return set
    }
    const acts = fc.array(
      fc.array(fc.constantFrom('make', 'change', 'remove', 'elsewhere'), { minLength: 1, maxLength: 5 }),
      {
        minLength: 1,
        maxLength: 12,
      },
    )
    const budgets = fc.array(fc.integer({ min: 1, max: 6_000 }), { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(acts, budgets, fc.boolean(), async (plan, cuts, isLive) => {
        const since = cache.revision
        const writing = (async () => {
          for (const kinds of plan) await house.commit(act(kinds))
        })()
        if (!isLive) await writing
        const received: ReceivedEvent[] = []
        let last = String(since)
        for (const budget of [...cuts, Number.POSITIVE_INFINITY]) {
          const headers = { 'last-event-id': last }
          const client = await EventClient.open(shop.token, watchUrl(shop, 'kinds=widget'), { headers, budget })
          if (budget === Number.POSITIVE_INFINITY) {
            await writing
            await client.until(({ id }) => Number(id) >= cache.revision)
            client.leave()
          } else await client.until(({ id }) => Number(id) >= since + plan.length)
          client.leave()
          await client.ended
          // Events count once the id of their revision has come: without it they come again.
          const lastId = client.events.findLastIndex(({ id }) => id !== undefined)
          received.push(...client.events.slice(0, lastId + 1).filter(isChange))
          last = client.events[lastId]?.id ?? last
        }
        expect(received.map(summary)).toEqual(await logOf(shop, since, cache.revision))
      }),
      { numRuns: 20 },
    )
    expect(store.head()).toBe(cache.revision)
  })

  test('can begin before this node did, and ends with the log from where it began', async () => {
    const shop = await openShop()
    const { house } = shop
    const since = house.cache.revision
    for (const name of ['w1', 'w2', 'w3']) await shop.make(name)
    await house.restart()
    const client = await EventClient.open(shop.token, watchUrl(shop, `kinds=widget&since=${since}`))
    await shop.make('w4')
    await client.until(({ data }) => data.metadata?.name === 'w4')
    expect(client.events.filter(isChange).map(summary)).toEqual(await logOf(shop, since, house.cache.revision))
    client.leave()
  })

  test('cannot begin where the log no longer reaches', async () => {
    const shop = await openShop()
    const { house } = shop
    await shop.make('w1')
    await house.store.compact(house.cache.revision - 1)
    expect(await shop.call('GET', `${shop.watch}?since=1`)).toMatchObject({
      status: 410,
      body: { code: 'gone', suggestion: expect.stringContaining('list again') },
    })
  })

  test('refuses kinds that do not exist, or that the caller may not read, and ids that are not ours', async () => {
    const shop = await openShop()
    const watch = async (query: string, headers = {}) =>
      (await shop.call('GET', `${shop.watch}?${query}`, { headers })).status
    expect(await watch('kinds=gizmo')).toBe(400)
    expect(await watch('kinds=gadget')).toBe(404)
    expect(await watch('kinds=widget,gadget')).toBe(404)
    expect(await watch('', { 'last-event-id': 'abc' })).toBe(400)
    expect(await watch('since=-1')).toBe(400)
  })
})

describe('an open stream', () => {
  test('ends when the right to it does, and only then', async () => {
    const shop = await openShop()
    const { house } = shop
    const read = await house.grant(`guest-${shop.token}`, shop.ids.shop, ['projects:read'])
    const widgets = await house.grant(`guest-${shop.token}`, shop.ids.shop, ['widgets:read'])
    const open = () => EventClient.open(`guest-${shop.token}`, watchUrl(shop))
    const [first, mine] = [await open(), await EventClient.open(shop.token, watchUrl(shop))]
    await house.grant(`guest-${shop.token}`, shop.ids.lab, ['widgets:read'])
    await shop.make('w1')
    expect(await first.until(isChange)).toBeDefined()
    await widgets()
    expect(await first.until(({ event }) => event === 'end')).toMatchObject({ data: { reason: 'rights_withdrawn' } })
    await first.ended
    await shop.make('w2')
    expect(first.events.filter(isChange)).toHaveLength(1)
    expect(await mine.until(({ data }) => data.metadata?.name === 'w2')).toBeDefined()
    mine.leave()
    await read()
    expect((await open()).status).toBe(404)
  })

  test('does not send what happens together with the loss of the right to see it, nor what comes after', async () => {
    const shop = await openShop()
    const { house } = shop
    await house.grant(`guest-${shop.token}`, shop.ids.shop, ['projects:read'])
    await house.grant(`guest-${shop.token}`, shop.ids.shop, ['widgets:read'])
    const client = await EventClient.open(`guest-${shop.token}`, watchUrl(shop, 'kinds=widget'))
    await client.until(({ event }) => event === 'heartbeat')
    const grants = house.cache.platform().list({ kind: 'grant', name: `guest-${shop.token}` }).items
    const set = changeSet(realWorld).create(draft(shop, 'secret'))
    for (const grant of grants) set.remove(grant)
    // Sent at once, so that one batch of the log brings them all.
    const after = ['later', 'even-later'].map(name => changeSet(realWorld).create(draft(shop, name)))
    await Promise.all([set, ...after].map(each => house.commit(each)))
    await client.ended
    expect(client.events.map(({ event }) => event)).toEqual(['heartbeat', 'end'])
  })

  test('ends when the place it is about is gone', async () => {
    const shop = await openOwn({ limits: { streams } })
    const { house } = shop
    const client = await EventClient.open(shop.token, watchUrl(shop))
    await house.commit(changeSet(realWorld).remove(house.cache.platform().get('project', shop.ids.shop)!))
    expect(await client.until(({ event }) => event === 'end')).toMatchObject({ data: { reason: 'rights_withdrawn' } })
  })

  test('is one of few that a caller may have', async () => {
    const shop = await openOwn({ limits: { streams: { ...streams, perCaller: 2 } } })
    const clients = [
      await EventClient.open(shop.token, watchUrl(shop)),
      await EventClient.open(shop.token, watchUrl(shop)),
    ]
    const refused = await shop.call('GET', shop.watch)
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect(refused.headers.get('retry-after')).toBe('5')
    clients[0]!.leave()
    await clients[0]!.ended
    await expect.poll(() => EventClient.open(shop.token, watchUrl(shop)).then(client => client.status)).toBe(200)
  })

  test('whose reader is too slow is cut with a last word, and misses nothing when it comes back', async () => {
    const shop = await openOwn({ limits: { streams: { ...streams, stallTime: seconds(1) } } })
    const { house } = shop
    const since = house.cache.revision
    const client = await EventClient.open(shop.token, watchUrl(shop, `kinds=widget&since=${since}`))
    client.pause()
    // More than the buffers of two sockets hold, so that the server must stop sending.
    const material = 'x'.repeat(400_000)
    for (let index = 0; index < 40; index++)
      await house.commit(changeSet(realWorld).create({ ...draft(shop, `w${index}`), spec: { size: 1, material } }))
    await expect
      .poll(() => house.metrics.expose(), { timeout: 20_000 })
      .toContain('stead_event_streams_ended_total{reason="slow_reader"} 1')
    client.resume()
    expect(await client.until(({ event }) => event === 'end')).toMatchObject({ data: { reason: 'slow_reader' } })
    const received = client.events.filter(isChange)
    expect(received.length).toBeLessThan(40)
    const again = await EventClient.open(shop.token, watchUrl(shop, 'kinds=widget'), {
      headers: { 'last-event-id': received.at(-1)?.id ?? String(since) },
    })
    await again.until(({ data }) => data.metadata?.name === 'w39')
    expect([...received, ...again.events.filter(isChange)].map(summary)).toEqual(
      await logOf(shop, since, house.cache.revision),
    )
    again.leave()
  })

  test('ends when the server stops, and the server waits for it to', async () => {
    const shop = await openShop()
    const { house } = shop
    const client = await EventClient.open(shop.token, watchUrl(shop))
    await client.until(({ event }) => event === 'heartbeat')
    await house.restart()
    expect(client.events.at(-1)).toMatchObject({ event: 'end', data: { reason: 'shutting_down' } })
    await client.ended
  })
})

/** What the log says happened to widgets of the shop, as one line each. */
async function logOf(shop: Shop, since: Revision, through: Revision): Promise<readonly string[]> {
  const stop = new AbortController()
  const lines: string[] = []
  if (since === through) return lines
  for await (const entries of shop.house.store.watch(since, stop.signal))
    for (const { revision, changes } of entries) {
      for (const { op, object } of changes)
        if (object.kind === Widget.kind && object.projectId === shop.ids.shop)
          lines.push(`${op} ${object.name} ${object.revision}`)
      if (revision === through) return lines
    }
  return lines
}
