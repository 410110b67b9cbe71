import type { View } from '@stead/engine'
import { after, minutes, seconds, VirtualWorld } from '@stead/world'
import { expect, test } from 'vitest'
import type { Server } from '../model.ts'
import { RecentLosses } from './recent-losses.ts'

const now = new VirtualWorld({ seed: 1 }).now()
const later = after(now, minutes(9))

/** What the store has of servers, of which the lost ones were lost just now. */
const storeOf = (...all: readonly Partial<Server>[]) =>
  ({
    get: (_kind: string, id: string) => all.find(each => each.id === id),
    list: ({ where }: { where: (server: Server) => boolean }) => ({ items: (all as Server[]).filter(where) }),
  }) as unknown as Pick<View, 'get' | 'list'>
const lost = (id: string, more: Partial<Server> = {}) =>
  ({ id, status: { lost: { at: now, reason: 'gone' } }, ...more }) as Server
const there = (id: string) => ({ id, status: {} }) as Server

test('a loss counts for ten minutes, though its server was forgotten meanwhile', () => {
  const losses = new RecentLosses()
  losses.note('srv_1', now)
  expect(losses.count(storeOf(), 'reg', later)).toBe(1)
  expect(losses.count(storeOf(), 'reg', after(now, minutes(10)))).toBe(0)
})

test('what another node found lost counts as long as it is in the store, also when it is to go', () => {
  const store = storeOf(lost('srv_1'), lost('srv_2', { deletedAt: now }), there('srv_3'))
  expect(new RecentLosses().count(store, 'reg', later)).toBe(2)
})

test('what is back was no loss', () => {
  const losses = new RecentLosses()
  expect(losses.count(storeOf(lost('srv_1')), 'reg', now)).toBe(1)
  expect(losses.count(storeOf(there('srv_1')), 'reg', after(now, seconds(1)))).toBe(0)
})
