import { changeSet, controller, kindOf, park, type StoredObject } from '@stead/engine'
import { expect, test } from 'vitest'
import { IdentityHouse } from '../identity/tests/house.ts'

const gadgets = kindOf<StoredObject>('gadget')

test('says how far the log has been compacted', async () => {
  const house = await IdentityHouse.open()
  await house.organization('acme')
  await house.store.compact(2)
  const { store } = await house.must(200, 'GET', '/v1/system')
  expect(store.compacted).toBe(2)
})

test('names what does not come on, and why', async () => {
  const moody = controller({
    name: 'moody',
    kind: gadgets,
    async reconcile({ id }) {
      if (id === 'gad_parked') return park('Lost', 'it existed and is gone')
      throw new Error('no luck')
    },
  })
  const house = await IdentityHouse.open({ controllers: [moody] })
  const draft = { kind: 'gadget', labels: {}, finalizers: [], createdAt: house.world.now(), spec: {}, status: {} }
  const set = changeSet(house.world)
  for (const id of ['gad_parked', 'gad_failing']) set.create({ ...draft, id })
  await house.engine.commit(set)
  const stuck = async () => (await house.must(200, 'GET', '/v1/system')).node.stuck
  await expect.poll(async () => (await stuck()).length).toBe(2)
  const of = { kind: 'gadget', controller: 'moody' }
  expect(await stuck()).toEqual([
    { ...of, id: 'gad_failing', state: 'failing', failures: expect.any(Number) },
    {
      ...of,
      id: 'gad_parked',
      state: 'parked',
      reason: 'Lost',
      message: 'it existed and is gone',
      since: expect.stringMatching(/^\d{4}-.*Z$/),
    },
  ])
})

test('is for the platform’s people, and not for those of an organization', async () => {
  const house = await IdentityHouse.openWithAcme()
  const { token } = await house.account('acme', 'ci', { role: 'org-admin' })
  await house.must(403, 'GET', '/v1/system', { token })
  await house.must(401, 'GET', '/v1/system', { token: null })
})
