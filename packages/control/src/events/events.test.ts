import { changeSet } from '@stead/engine'
import { expect, test } from 'vitest'
import { IdentityHouse } from '../identity/tests/house.ts'
import { counterOf } from '../quotas/counters.ts'
import { appendEvent, type Event } from './model.ts'

test('what happened to an object is read newest first, by pages, and is its own', async () => {
  const house = await IdentityHouse.open()
  await house.organization('acme')
  const { metadata: shop } = await house.project('acme', 'shop')
  const { metadata: lab } = await house.project('acme', 'lab')
  const tell = (id: string, message: string) => {
    const set = changeSet(house.world)
    appendEvent(set, house.engine.cache.platform().get('project', id)!, { reason: 'Told', message })
    return house.engine.commit(set)
  }
  for (let n = 0; n < 7; n++) await tell(shop.id, `n${n}`)
  await tell(lab.id, 'of another')
  const path = '/v1/projects/acme%2Fshop/events'
  const first = await house.must(200, 'GET', `${path}?limit=5`)
  expect(first).toMatchObject({ total: 7, totalIsExact: true })
  expect(first.items[0]).toEqual({
    id: expect.any(String),
    at: expect.stringMatching(/Z$/),
    level: 'info',
    reason: 'Told',
    message: 'n6',
    object: { kind: 'project', id: shop.id, name: 'shop' },
  })
  const second = await house.must(200, 'GET', `${path}?limit=5&cursor=${first.nextCursor}`)
  const messages = [...first.items, ...second.items].map(({ message }: Event) => message)
  expect(messages).toEqual(['n6', 'n5', 'n4', 'n3', 'n2', 'n1', 'n0'])
  expect(second.nextCursor).toBeNull()
  const wrong = await house.call('GET', `/v1/projects/acme%2Flab/events?limit=5&cursor=${first.nextCursor}`)
  expect(wrong.body).toMatchObject({ code: 'invalid_request' })
})

test('an organization is told when its quotas are wrong', async () => {
  const house = await IdentityHouse.open()
  const { metadata } = await house.organization('acme')
  await house.engine.commit(changeSet(house.world).move(counterOf({ organization: metadata.id }, 'gpus'), 3))
  const { drift } = await house.must(200, 'GET', '/v1/system/quotas/drift')
  expect(drift).toEqual([`organization ${metadata.id} is counted 3 gpus, and its allocations add up to 0`])
  const { items } = await house.must(200, 'GET', '/v1/organizations/acme/events')
  expect(items).toMatchObject([{ level: 'warning', reason: 'QuotaDrift', message: drift[0] }])
  expect(await house.must(200, 'POST', '/v1/system/quotas/repair')).toEqual({ drift, repaired: true })
  expect(await house.must(200, 'GET', '/v1/system/quotas/drift')).toEqual({ drift: [], repaired: false })
})
