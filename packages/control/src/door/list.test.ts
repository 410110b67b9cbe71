import { changeSet } from '@stead/engine'
import { realWorld } from '@stead/world'
import { describe, expect, test } from 'vitest'
import { nobody } from '../identity/caller.ts'
import { type Shop, shareHouse } from './tests/shop.ts'
import { Widget } from './tests/widgets.ts'

const openShop = shareHouse()

interface Item {
  readonly metadata: { readonly id: string; readonly name: string }
}

const draft = (shop: Shop, name: string, more: { labels?: Record<string, string>; color?: 'red' | 'green' } = {}) =>
  Widget.draft({
    world: realWorld,
    caller: nobody,
    place: { type: 'project', organizationId: shop.ids.organization, projectId: shop.ids.shop },
    name,
    labels: more.labels ?? {},
    spec: { size: 1, ...(more.color && { color: more.color }) },
    status: { phase: 'running' },
  })

const fill = async (shop: Shop, names: readonly string[]) => {
  const drafts = names.map(name => draft(shop, name))
  const set = changeSet(realWorld)
  for (const each of drafts) set.create(each)
  await shop.house.commit(set)
  return drafts.map(({ id }) => id)
}

/** Reads a list page by page, doing something between the pages. */
async function readAll(shop: Shop, query: string, between = async () => {}): Promise<readonly Item[]> {
  const items: Item[] = []
  let cursor = ''
  do {
    const { status, body } = await shop.call('GET', `${shop.widgets}?${query}&cursor=${cursor}`)
    expect(status).toBe(200)
    items.push(...body.items)
    cursor = body.nextCursor
    if (cursor) await between()
  } while (cursor)
  return items
}

const names = (items: readonly Item[]) => items.map(({ metadata }) => metadata.name)

describe('a list paged while a thousand things come and go', () => {
  test.each(['id', '-id', 'name', '-name', 'createdAt', '-createdAt'])(
    'sorted by %s holds everything that was there throughout, once, in order',
    async sort => {
      const shop = await openShop()
      const { house } = shop
      const staying = await fill(
        shop,
        Array.from({ length: 300 }, (_, index) => `s${(index * 7919) % 300}`),
      )
      let leaving = await fill(
        shop,
        Array.from({ length: 200 }, (_, index) => `l${index}`),
      )
      let round = 0
      const churn = async () => {
        // Newer ones come at the end: were they never to stop coming, the list would never end.
        if (++round > 17) return
        const set = changeSet(realWorld)
        const [gone, rest] = [leaving.slice(0, 40), leaving.slice(40)]
        for (const id of gone) set.remove(house.cache.platform().get(Widget.kind, id)!)
        const coming = Array.from({ length: 60 }, (_, index) => draft(shop, `c${round}-${index}`))
        for (const each of coming) set.create(each)
        await house.commit(set)
        leaving = [...rest, ...coming.map(({ id }) => id)].sort(() => 0.5 - realWorld.random())
      }
      const items = await readAll(shop, `limit=37&sort=${sort}`, churn)
      const ids = items.map(({ metadata }) => metadata.id)
      expect(round).toBeGreaterThan(10)
      expect(new Set(ids).size, 'nothing is doubled').toBe(ids.length)
      expect(
        staying.filter(id => !ids.includes(id)),
        'nothing is missing',
      ).toEqual([])
      const kept = items.filter(({ metadata }) => staying.includes(metadata.id))
      const wanted = sort.endsWith('name') ? names(kept).toSorted() : staying.toSorted()
      const got = sort.endsWith('name') ? names(kept) : kept.map(({ metadata }) => metadata.id)
      if (!sort.endsWith('createdAt')) expect(got).toEqual(sort.startsWith('-') ? wanted.reverse() : wanted)
    },
  )
})

describe('a list', () => {
  test('is filtered by labels, name and what the room adds, and counts what it filtered', async () => {
    const shop = await openShop()
    const { house } = shop
    const set = changeSet(realWorld)
    set.create(draft(shop, 'web-1', { labels: { tier: 'web', env: 'a=b' }, color: 'red' }))
    set.create(draft(shop, 'web-2', { labels: { tier: 'web' } }))
    set.create(draft(shop, 'api-1', { labels: { tier: 'api', env: 'x' }, color: 'green' }))
    await house.commit(set)
    const ask = async (query: string) => {
      const { body } = await shop.call('GET', `${shop.widgets}?${query}`)
      expect(body.total).toBe(body.items.length)
      return names(body.items).toSorted()
    }
    expect(await ask('labels=tier=web')).toEqual(['web-1', 'web-2'])
    expect(await ask('labels=tier=web,env')).toEqual(['web-1'])
    expect(await ask('labels=tier%3Dweb&labels=env')).toEqual(['web-1'])
    expect(await ask('labels=env=a=b')).toEqual(['web-1'])
    expect(await ask('name=web-2')).toEqual(['web-2'])
    expect(await ask('name=WEB*&sort=-name')).toEqual(['web-1', 'web-2'])
    expect(await ask('name=*&labels=&color=')).toHaveLength(3)
    expect(await ask('color=green&labels=env')).toEqual(['api-1'])
    expect(await ask('labels=toString')).toEqual([])
    expect(await ask('labels=tier=web,tier=api')).toEqual([])
  })

  test('has at most as many items as asked for, 50 unless asked', async () => {
    const shop = await openShop()
    await fill(
      shop,
      Array.from({ length: 60 }, (_, index) => `w${index}`),
    )
    const { body } = await shop.call('GET', shop.widgets)
    expect(body).toMatchObject({ total: 60, nextCursor: expect.any(String) })
    expect(body.items).toHaveLength(50)
    expect((await shop.call('GET', `${shop.widgets}?limit=500`)).body).toMatchObject({ nextCursor: null })
  })

  test('refuses what it cannot mean', async () => {
    const shop = await openShop()
    await fill(shop, ['w1', 'w2', 'w3'])
    const { nextCursor } = (await shop.call('GET', `${shop.widgets}?limit=1`)).body
    const refused = async (query: string) => {
      const { status, body } = await shop.call('GET', `${shop.widgets}?${query}`)
      expect(status, query).toBe(400)
      return body.errors[0].path
    }
    expect(await refused('limit=0')).toBe('?limit')
    expect(await refused('limit=501')).toBe('?limit')
    expect(await refused('limit=ten')).toBe('?limit')
    expect(await refused('sort=phase')).toBe('?sort')
    expect(await refused('label=a')).toBe('?label')
    expect(await refused('labels==web')).toBe('?labels')
    expect(await refused('name=a*b')).toBe('?name')
    expect(await refused(`cursor=${nextCursor}&name=w*`), 'a cursor of another list').toBe('?cursor')
    expect(await refused(`cursor=${nextCursor}&sort=-id`)).toBe('?cursor')
    expect(await refused('cursor=nonsense')).toBe('?cursor')
    expect(await refused(`cursor=${Buffer.from('["x"]').toString('base64url')}`)).toBe('?cursor')
  })
})
