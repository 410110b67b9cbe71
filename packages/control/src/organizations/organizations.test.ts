import { changeSet } from '@stead/engine'
import { expect, test } from 'vitest'
import { IdentityHouse } from '../identity/tests/house.ts'

test('an organization is created, read by id and by name, changed and deleted', async () => {
  const house = await IdentityHouse.open()
  const { metadata } = await house.must(201, 'POST', '/v1/organizations', {
    body: { name: 'acme', labels: { tier: 'a' } },
  })
  expect(metadata).toMatchObject({ name: 'acme', labels: { tier: 'a' }, organizationId: metadata.id })
  expect((await house.must(200, 'GET', '/v1/organizations/acme')).metadata.id).toBe(metadata.id)
  const body = { displayName: 'Acme Inc', labels: { tier: null } }
  const changed = await house.must(200, 'PATCH', `/v1/organizations/${metadata.id}`, { body })
  expect(changed.metadata).toMatchObject({ displayName: 'Acme Inc', labels: {} })
  await house.must(422, 'PATCH', '/v1/organizations/acme', { body: { name: 'other' } })
  const deleted = await house.must(202, 'DELETE', '/v1/organizations/acme')
  expect(deleted.metadata.deletedAt).not.toBeNull()
  await house.gone(`/v1/organizations/${metadata.id}`)
})

test('a name is taken once, and free again when its organization is gone', async () => {
  const house = await IdentityHouse.open()
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => house.call('POST', '/v1/organizations', { body: { name: 'acme' } })),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(9).fill(409)])
  expect(answers.find(({ status }) => status === 409)!.body.code).toBe('name_taken')
  await house.must(202, 'DELETE', '/v1/organizations/acme')
  await house.gone('/v1/organizations/acme')
  await house.organization('acme')
})

test('an organization with projects is not deleted unless cascade is said; then all of it goes, in order', async () => {
  const house = await IdentityHouse.open()
  const { metadata } = await house.organization('acme')
  await house.project('acme', 'shop')
  const robot = await house.account('acme', 'robot', { role: 'developer', project: 'shop' })
  await house.must(201, 'POST', '/v1/organizations/acme/roles', {
    body: { name: 'looker', spec: { permissions: ['projects:read'] } },
  })
  const refused = await house.must(409, 'DELETE', '/v1/organizations/acme')
  expect(refused).toMatchObject({
    code: 'in_use',
    total: 2,
    detail: 'this organization still has 1 project, 1 service-account',
  })
  expect(refused.blockedBy).toMatchObject([
    { kind: 'project', name: 'shop' },
    { kind: 'service-account', name: 'robot' },
  ])
  await house.must(202, 'DELETE', '/v1/organizations/acme?cascade=true')
  await house.gone(`/v1/organizations/${metadata.id}`)
  expect(house.engine.cache.inOrganization(metadata.id).kinds()).toEqual([])
  await house.must(401, 'GET', '/v1/whoami', { token: robot.token })
  await house.organization('acme')
  await house.project('acme', 'shop')
  await house.account('acme', 'robot')
})

test('nothing can be made in an organization that is on its way out', async () => {
  const house = await IdentityHouse.open()
  const { metadata } = await house.organization('acme')
  const organization = house.engine.cache.platform().get('organization', metadata.id)!
  await house.engine.commit(changeSet(house.world).update(organization, { finalizers: ['somebody-else'] }))
  await house.must(202, 'DELETE', '/v1/organizations/acme')
  expect(await house.must(409, 'POST', '/v1/organizations/acme/projects', { body: { name: 'lab' } })).toMatchObject({
    code: 'invalid_state',
    detail: 'the organization acme is being deleted',
  })
  expect((await house.must(202, 'DELETE', '/v1/organizations/acme')).metadata.deletedAt).not.toBeNull()
})

test('lists hold only what the caller may read', async () => {
  const house = await IdentityHouse.open()
  await house.organization('acme')
  await house.organization('globex')
  await house.project('acme', 'shop')
  await house.project('acme', 'lab')
  const names = async (path: string, token: string) =>
    (await house.must(200, 'GET', path, { token })).items.map(
      (item: { metadata: { name: string } }) => item.metadata.name,
    )
  const reader = await house.account('acme', 'reader', { role: 'reader' })
  const guest = await house.account('acme', 'guest', { role: 'reader', project: 'lab' })
  expect(await names('/v1/organizations', house.admin)).toEqual(['default', 'acme', 'globex'])
  expect(await names('/v1/organizations', reader.token)).toEqual(['acme'])
  expect(await names('/v1/organizations', guest.token)).toEqual([])
  expect(await names('/v1/projects', reader.token)).toEqual(['shop', 'lab'])
  expect(await names('/v1/projects', guest.token)).toEqual(['lab'])
  await house.must(404, 'GET', '/v1/organizations/acme', { token: guest.token })
  await house.must(404, 'GET', '/v1/organizations/acme/projects', { token: guest.token })
  await house.must(200, 'GET', '/v1/projects/acme%2Flab', { token: guest.token })
  await house.must(404, 'GET', '/v1/projects/acme%2Fshop', { token: guest.token })
})
