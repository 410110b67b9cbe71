import type { CacheEntry, CacheListener, StoredObject } from '@stead/engine'
import { instant } from '@stead/world'
import { expect, test } from 'vitest'
import type { Place } from '../identity/caller.ts'
import { Feed } from './feed.ts'

const object = (projectId: string, organizationId = 'org_1') =>
  ({ kind: 'widget', id: 'w', projectId, organizationId }) as StoredObject

const setUp = (kept = 3) => {
  let tell: CacheListener = () => {}
  const onChange = (listener: CacheListener) => {
    tell = listener
    return () => {}
  }
  const feed = new Feed({ revision: 10, onChange }, kept)
  const commit = (revision: number, ...projects: readonly string[]) =>
    tell({
      revision,
      at: instant(0),
      changes: projects.map(project => ({ op: 'put', object: object(project) })),
    } satisfies CacheEntry)
  const seen: string[] = []
  const follow = (name: string, place: Place) =>
    feed.follow({
      place,
      changed: ({ revision }) => seen.push(`${name} ${revision}`),
      lost: () => seen.push(`${name} lost`),
    })
  return { feed, commit, follow, seen }
}

test('those are called who follow a place where something changed, once an entry', () => {
  const { commit, follow, seen } = setUp()
  follow('shop', { type: 'project', organizationId: 'org_1', projectId: 'pro_shop' })
  follow('acme', { type: 'organization', organizationId: 'org_1' })
  const leave = follow('all', { type: 'platform' })
  commit(11, 'pro_shop', 'pro_shop')
  commit(12, 'pro_lab')
  leave()
  commit(13, 'pro_lab')
  expect(seen).toEqual(['all 11', 'shop 11', 'acme 11', 'all 12', 'acme 12', 'acme 13'])
})

test('as many entries are kept as asked for, and which they are is known', () => {
  const { feed, commit } = setUp(3)
  expect([feed.start, feed.head, feed.entry(10), feed.entry(11)]).toEqual([10, 10, undefined, undefined])
  for (const revision of [11, 12, 13, 14]) commit(revision, 'pro_shop')
  expect([feed.start, feed.head]).toEqual([11, 14])
  expect(feed.entry(11)).toBeUndefined()
  expect([12, 13, 14, 15].map(revision => feed.entry(revision)?.revision)).toEqual([12, 13, 14, undefined])
})

test('a cache that had to load again loses what lies between, and everybody is told', () => {
  const { feed, commit, follow, seen } = setUp()
  follow('shop', { type: 'project', organizationId: 'org_1', projectId: 'pro_shop' })
  commit(11, 'pro_shop')
  commit(20, 'pro_lab')
  expect(seen).toEqual(['shop 11', 'shop lost'])
  expect([feed.start, feed.head, feed.entry(11), feed.entry(20)]).toEqual([20, 20, undefined, undefined])
  commit(21, 'pro_shop')
  expect(feed.entry(21)?.revision).toBe(21)
})
