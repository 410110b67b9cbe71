import { expect, test } from 'vitest'
import { IdentityHouse } from '../tests/house.ts'

const grants = '/v1/organizations/acme/grants'

test('a role in a project is given by name, read back, and taken away', async () => {
  const house = await IdentityHouse.openWithAcme()
  const ci = await house.account('acme', 'ci')
  await house.must(404, 'GET', '/v1/projects/acme%2Fshop', { token: ci.token })
  const body = { principal: 'ci', role: 'developer', project: 'shop' }
  const grant = await house.must(201, 'POST', grants, { body })
  expect(grant).toMatchObject({
    spec: { principal: ci.id, role: 'developer' },
    metadata: { id: expect.stringMatching(/^grt_/) },
  })
  await house.must(200, 'GET', '/v1/projects/acme%2Fshop', { token: ci.token })
  await house.must(404, 'GET', '/v1/projects/acme%2Flab', { token: ci.token })
  expect((await house.must(409, 'POST', grants, { body })).code).toBe('name_taken')
  const listed = await house.must(200, 'GET', '/v1/projects/acme%2Fshop/grants')
  expect(listed.items).toEqual([grant])
  await house.must(202, 'DELETE', `${grants}/${grant.metadata.id}`)
  await house.must(404, 'GET', '/v1/projects/acme%2Fshop', { token: ci.token })
  await house.must(201, 'POST', grants, { body })
})

test('nobody gives what they do not hold', async () => {
  const house = await IdentityHouse.openWithAcme()
  await house.account('acme', 'puppet')
  const admin = await house.account('acme', 'boss', { role: 'org-admin' })
  const lead = await house.account('acme', 'lead', { role: 'project-admin', project: 'shop' })
  const give = (token: string, path: string, role: string, more = {}) =>
    house.call('POST', path, { token, body: { principal: 'puppet', role, ...more } })

  expect((await give(admin.token, '/v1/grants', 'platform-admin')).status).toBe(403)
  expect((await give(admin.token, grants, 'platform-admin')).body.code).toBe('invalid')
  expect((await give(admin.token, grants, 'org-admin')).status).toBe(201)
  expect((await give(lead.token, '/v1/projects/acme%2Fshop/grants', 'auditor')).body).toMatchObject({
    code: 'forbidden',
    permissions: ['audit:read', 'system:read', 'tokens:read'],
  })
  expect((await give(lead.token, '/v1/projects/acme%2Fshop/grants', 'developer')).status).toBe(201)
  expect((await give(lead.token, '/v1/projects/acme%2Flab/grants', 'reader')).status).toBe(404)
  expect((await give(lead.token, grants, 'reader', { project: 'shop' })).status).toBe(404)
})

test('an organization’s own roles say what they say, and nobody makes or widens one beyond what they hold', async () => {
  const house = await IdentityHouse.openWithAcme()
  const boss = await house.account('acme', 'boss', { role: 'org-admin' })
  const roles = '/v1/organizations/acme/roles'
  const make = (permissions: readonly string[], name = 'special') =>
    house.call('POST', roles, { token: boss.token, body: { name, spec: { permissions } } })
  expect((await make(['quotas:limit'])).body).toMatchObject({ code: 'forbidden', permissions: ['quotas:limit'] })
  expect((await make(['projects:reed'])).status).toBe(400)
  expect((await make(['projects:read'], 'developer')).body.code).toBe('name_taken')
  const { body: role } = await make(['projects:read'])

  const worker = await house.account('acme', 'worker', { role: 'special', project: 'shop' })
  const rename = () =>
    house.call('PATCH', '/v1/projects/acme%2Fshop', { token: worker.token, body: { displayName: 'Shop' } })
  expect((await rename()).status).toBe(403)
  const widen = (permissions: readonly string[]) =>
    house.call('PATCH', `${roles}/special`, { token: boss.token, body: { spec: { permissions } } })
  expect((await widen(['projects:read', 'system:update'])).status).toBe(403)
  expect((await widen(['projects:read', 'projects:update'])).status).toBe(200)
  expect((await rename()).status).toBe(200)

  const refused = await house.must(409, 'DELETE', `${roles}/special`)
  expect(refused).toMatchObject({ code: 'in_use', total: 1, blockedBy: [{ kind: 'grant' }] })
  const [grant] = (await house.must(200, 'GET', `${grants}?role=${role.metadata.id}`)).items
  await house.must(202, 'DELETE', `${grants}/${grant.metadata.id}`)
  await house.must(202, 'DELETE', `${roles}/special`)
  await house.gone(`${roles}/special`)
  expect((await make(['projects:read'])).status).toBe(201)
})

test('a role of one organization is worth nothing in another', async () => {
  const house = await IdentityHouse.openWithAcme()
  await house.organization('globex')
  const { metadata } = await house.must(201, 'POST', '/v1/organizations/acme/roles', {
    body: { name: 'special', spec: { permissions: ['projects:read'] } },
  })
  await house.account('globex', 'spy')
  const body = { principal: 'spy', role: metadata.id }
  await house.must(404, 'POST', '/v1/organizations/globex/grants', { body })
})

test('principals of other organizations do not exist here', async () => {
  const house = await IdentityHouse.openWithAcme()
  await house.organization('globex')
  const spy = await house.account('globex', 'spy')
  const boss = await house.account('acme', 'boss', { role: 'org-admin' })
  for (const token of [boss.token, house.admin])
    for (const principal of [spy.id, 'spy', 'usr_01a1de87-bccf-7499-bb0a-f6d7180c84bc', 'ada@example.com'])
      await house.must(404, 'POST', grants, { token, body: { principal, role: 'reader' } })
})

test('when a principal is deleted its grants and tokens go with it, and its name is free', async () => {
  const house = await IdentityHouse.openWithAcme()
  const ci = await house.account('acme', 'ci', { role: 'developer', project: 'shop' })
  await house.must(202, 'DELETE', ci.path)
  await house.must(401, 'GET', '/v1/whoami', { token: ci.token })
  await house.gone(ci.path)
  const { items } = await house.must(200, 'GET', grants)
  expect(items).toEqual([])
  expect(house.engine.cache.platform().get('token', ci.tokenId)).toBeUndefined()
  await house.account('acme', 'ci')
})
