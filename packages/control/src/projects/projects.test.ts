import { changeSet } from '@stead/engine'
import { newId } from '@stead/world'
import { expect, test } from 'vitest'
import { IdentityHouse } from '../identity/tests/house.ts'

const shop = '/v1/projects/acme%2Fshop'

test('a project is known by id and by organization/name, changed, and deleted', async () => {
  const house = await IdentityHouse.openWithAcme()
  const { metadata } = await house.must(200, 'GET', shop)
  expect((await house.must(200, 'GET', `/v1/projects/${metadata.id}`)).metadata.name).toBe('shop')
  const body = { metadata: { displayName: 'The shop', labels: { tier: 'web' } } }
  expect((await house.must(200, 'PATCH', shop, { body })).metadata).toMatchObject(body.metadata)
  const unchanged = await house.must(200, 'PATCH', shop, { body })
  expect(unchanged.metadata.revision).toBe((await house.must(200, 'GET', shop)).metadata.revision)
  await house.must(412, 'PATCH', shop, { body: { displayName: 'x' }, headers: { 'if-match': '"1"' } })
  await house.must(202, 'DELETE', shop)
  await house.gone(`/v1/projects/${metadata.id}`)
  await house.project('acme', 'shop')
})

test('the same name is free in another organization, and not in the same one', async () => {
  const house = await IdentityHouse.openWithAcme()
  await house.organization('globex')
  await house.project('globex', 'shop')
  const again = await house.must(409, 'POST', '/v1/organizations/acme/projects', { body: { name: 'shop' } })
  expect(again.code).toBe('name_taken')
})

test('its grants go with it, those of other projects stay', async () => {
  const house = await IdentityHouse.openWithAcme()
  await house.account('acme', 'one', { role: 'reader', project: 'shop' })
  const other = await house.account('acme', 'two', { role: 'reader', project: 'lab' })
  await house.must(202, 'DELETE', shop)
  await house.gone(shop)
  const { items } = await house.must(200, 'GET', '/v1/organizations/acme/grants')
  expect(items.map((grant: { spec: object }) => grant.spec)).toEqual([{ principal: other.id, role: 'reader' }])
})

test('something in it that nobody has told the teardown about holds up its end, visibly, and is left alone', async () => {
  const house = await IdentityHouse.openWithAcme()
  const { metadata } = await house.must(200, 'GET', shop)
  const gadget = {
    kind: 'gadget',
    id: newId(house.world, 'gad'),
    organizationId: metadata.organizationId,
    projectId: metadata.id,
    labels: {},
    finalizers: [],
    createdAt: house.world.now(),
    spec: {},
    status: {},
  }
  await house.engine.commit(changeSet(house.world).create(gadget))
  await house.must(202, 'DELETE', `${shop}?cascade=true`)
  const conditions = async () => (await house.must(200, 'GET', shop)).status.conditions
  await expect
    .poll(conditions, { interval: 10 })
    .toMatchObject([{ type: 'Ending', reason: 'UnknownParts', message: 'still has things of these kinds: gadget' }])
  const kept = house.engine.cache.platform().get('gadget', gadget.id)!
  await house.engine.commit(changeSet(house.world).remove(kept))
  await house.must(200, 'PATCH', shop, { body: { displayName: 'look again' } })
  await house.gone(shop)
})

test('whatever is made while an organization ends is refused or ends with it: nothing is left behind', async () => {
  const house = await IdentityHouse.openWithAcme()
  const { metadata } = await house.must(200, 'GET', '/v1/organizations/acme')
  const make = (index: number) => {
    const [path, body] = [
      ['/v1/organizations/acme/projects', { name: `p${index}` }],
      ['/v1/organizations/acme/service-accounts', { name: `s${index}` }],
      ['/v1/organizations/acme/roles', { name: `r${index}`, spec: { permissions: ['projects:read'] } }],
      [`${shop}/grants`, { principal: `s${index - 1}`, role: 'reader' }],
    ][index % 4] as [string, object]
    return house.call('POST', path, { body })
  }
  const making = Array.from({ length: 60 }, (_, index) => make(index))
  const deleting = house.must(202, 'DELETE', '/v1/organizations/acme?cascade=true')
  const late = Array.from({ length: 60 }, (_, index) => make(60 + index))
  const answers = await Promise.all([...making, ...late])
  await deleting
  expect(answers.filter(({ status }) => status >= 500).map(({ body }) => body)).toEqual([])
  expect(answers.some(({ status }) => status === 201)).toBe(true)
  expect(answers.some(({ status }) => status === 409 || status === 404)).toBe(true)
  await house.gone(`/v1/organizations/${metadata.id}`)
  expect(house.engine.cache.inOrganization(metadata.id).kinds()).toEqual([])
  await house.organization('acme')
  for (let index = 0; index < 120; index += 4) await house.project('acme', `p${index}`)
})

test('a delete without cascade ends nothing that was made in the same moment', async () => {
  const house = await IdentityHouse.open()
  for (let round = 0; round < 10; round++) {
    const name = `org-${round}`
    const { metadata } = await house.organization(name)
    const [made, deleted] = await Promise.all([
      house.call('POST', `/v1/organizations/${name}/projects`, { body: { name: 'shop' } }),
      house.call('DELETE', `/v1/organizations/${name}`),
    ])
    if (made.status === 201) await house.must(200, 'GET', `/v1/projects/${made.body.metadata.id}`)
    else expect([made.status, deleted.status]).toEqual([expect.toBeOneOf([404, 409]), 202])
    if (made.status !== 201) await house.gone(`/v1/organizations/${metadata.id}`)
  }
})
