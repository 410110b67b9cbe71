import { expect, test } from 'vitest'
import { openRegionHouse, secretKey } from './tests/region-house.ts'

const names = (list: { items: { metadata: { name: string } }[] }) => list.items.map(({ metadata }) => metadata.name)

test('a region is registered, read by id and by name, changed and deleted', async () => {
  const { house, region } = await openRegionHouse()
  const made = await region('east', { organizations: ['acme'] })
  const acme = (await house.must(200, 'GET', '/v1/organizations/acme')).metadata.id
  expect(made).toMatchObject({
    metadata: { name: 'east' },
    spec: { provider: 'simulated', mode: 'active', configuration: { cloud: 'default' }, organizations: [acme] },
    status: { health: 'unknown', isDefault: false },
  })
  expect((await house.must(200, 'GET', `/v1/regions/${made.metadata.id}`)).metadata.name).toBe('east')
  const body = { displayName: 'East', spec: { mode: 'draining', organizations: null } }
  const changed = await house.must(200, 'PATCH', '/v1/regions/east', { body })
  expect(changed).toMatchObject({ metadata: { displayName: 'East' }, spec: { mode: 'draining' } })
  expect(changed.spec.organizations).toBeUndefined()
  expect(names(await house.must(200, 'GET', '/v1/regions'))).toEqual(['east'])
  await house.must(202, 'DELETE', '/v1/regions/east')
  await house.gone('/v1/regions/east')
  await region('east')
})

test('what does not fit is refused by field, and nothing of what was sent comes back', async () => {
  const { house, region } = await openRegionHouse()
  const refused = async (spec: object) => {
    const answer = await house.must(422, 'POST', '/v1/regions', { body: { name: 'odd', spec } })
    expect(JSON.stringify(answer)).not.toContain(secretKey)
    return answer
  }
  expect(await refused({ provider: 'nowhere' })).toMatchObject({
    code: 'invalid',
    errors: [{ path: '/spec/provider', message: 'must be one of simulated' }],
  })
  expect((await refused({ provider: 'simulated' })).errors).toEqual([
    { path: '/spec/credentials/key', message: 'is required' },
  ])
  const wrong = { configuration: { cloud: 3, klaud: secretKey }, credentials: { key: [secretKey], user: secretKey } }
  expect((await refused({ provider: 'simulated', ...wrong })).errors.map(({ path }: { path: string }) => path)).toEqual(
    ['/spec/configuration/cloud', '/spec/configuration/klaud', '/spec/credentials/key', '/spec/credentials/user'],
  )
  const credentials = { key: secretKey }
  expect((await refused({ provider: 'simulated', credentials, organizations: ['acme', 'nobody'] })).errors).toEqual([
    { path: '/spec/organizations/1', message: 'there is no such organization' },
  ])
  await region('east')
  await house.must(422, 'PATCH', '/v1/regions/east', { body: { spec: { configuration: { cloud: 3 } } } })
  await house.must(422, 'PATCH', '/v1/regions/east', { body: { spec: { credentials: null } } })
  await house.must(400, 'PATCH', '/v1/regions/east', { body: { spec: { credentials: secretKey } } })
  await house.must(422, 'PATCH', '/v1/regions/east', { body: { spec: { provider: 'other' } } })
  expect(
    await house.must(409, 'POST', '/v1/regions', {
      body: { name: 'east', spec: { provider: 'simulated', credentials } },
    }),
  ).toMatchObject({ code: 'name_taken' })
})

test('credentials stand as a placeholder; sent back it changes nothing, and others replace them and their blob', async () => {
  const { house, region } = await openRegionHouse()
  const made = await region('east')
  const { credentials: shown } = made.spec
  expect(shown).toEqual({ sealed: expect.any(String), sizeBytes: expect.any(Number) })
  const patch = (credentials: object) =>
    house.must(200, 'PATCH', '/v1/regions/east', { body: { spec: { credentials } } })
  const owner = { kind: 'region', id: made.metadata.id }
  expect((await patch(shown)).metadata.generation).toBe(made.metadata.generation)
  expect((await patch({ key: secretKey })).metadata.generation).toBe(made.metadata.generation)
  const changed = await patch({ key: 'another' })
  expect(changed.spec.credentials.sealed).not.toBe(shown.sealed)
  expect(await house.store.blob(owner, shown.sealed)).toBeUndefined()
  expect(await house.store.blob(owner, changed.spec.credentials.sealed)).toBeDefined()
  // The placeholder of what stood there before is nothing: it opens no door.
  await house.must(422, 'PATCH', '/v1/regions/east', { body: { spec: { credentials: shown } } })
})

test('a tenant sees the regions its organizations may use, and neither their insides nor who else may', async () => {
  const { house, region } = await openRegionHouse()
  await region('for-all')
  await region('for-acme', { organizations: ['acme'] })
  const acme = await house.account('acme', 'robot', { role: 'developer', project: 'shop' })
  const globex = await house.account('globex', 'robot', { role: 'org-admin' })
  const stranger = await house.account('globex', 'nobody')
  const list = async (token: string) => names(await house.must(200, 'GET', '/v1/regions', { token }))
  expect(await list(house.admin)).toEqual(['for-all', 'for-acme'])
  expect(await list(acme.token)).toEqual(['for-all', 'for-acme'])
  expect(await list(globex.token)).toEqual(['for-all'])
  expect(await list(stranger.token)).toEqual(['for-all'])
  const seen = await house.must(200, 'GET', '/v1/regions/for-acme', { token: acme.token })
  expect(seen.spec).toEqual({ provider: 'simulated', mode: 'active' })
  const hidden = await house.must(404, 'GET', '/v1/regions/for-acme', { token: globex.token })
  const absent = await house.must(404, 'GET', '/v1/regions/for-none', { token: globex.token })
  expect(hidden.detail.replace('for-acme', 'for-none')).toBe(absent.detail)
  const ofShop = (token: string, organization: string) =>
    house.must(200, 'GET', `/v1/projects/${organization}%2Fshop/regions`, { token })
  expect(names(await ofShop(acme.token, 'acme'))).toEqual(['for-all', 'for-acme'])
  expect(names(await ofShop(house.admin, 'globex'))).toEqual(['for-all'])
  await house.must(403, 'PATCH', '/v1/regions/for-acme', { token: acme.token, body: { spec: { mode: 'draining' } } })
})

test('exactly one region is the default: the first that is for all, until another is made so', async () => {
  const { house, region } = await openRegionHouse()
  const defaults = async () =>
    (await house.must(200, 'GET', '/v1/regions')).items
      .filter(({ status }: { status: { isDefault: boolean } }) => status.isDefault)
      .map(({ metadata }: { metadata: { name: string } }) => metadata.name)
  expect((await region('private', { organizations: ['acme'] })).status.isDefault).toBe(false)
  expect((await region('first')).status.isDefault).toBe(true)
  const others = ['a', 'b', 'c', 'd']
  for (const name of others) await region(name)
  expect(await defaults()).toEqual(['first'])
  const made = await Promise.all(others.map(name => house.call('POST', `/v1/regions/${name}/make-default`)))
  expect(made.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(await defaults()).toHaveLength(1)
  const [last] = await defaults()
  // Whether it is the default is part of what a revision stands for.
  const { metadata } = await house.must(200, 'GET', '/v1/regions/first')
  await house.must(200, 'POST', '/v1/regions/first/make-default')
  const headers = { 'if-none-match': `"${metadata.revision}"` }
  expect((await house.must(200, 'GET', '/v1/regions/first', { headers })).status.isDefault).toBe(true)
  await house.must(200, 'POST', `/v1/regions/${last}/make-default`)
  await house.must(202, 'DELETE', `/v1/regions/${last}`)
  await house.gone(`/v1/regions/${last}`)
  expect(await defaults()).toEqual([])
  expect((await region('next')).status.isDefault).toBe(true)
})

test('a project has a default region of its own, as its organization sees regions', async () => {
  const { house, region } = await openRegionHouse()
  const { metadata } = await region('for-acme', { organizations: ['acme'] })
  const set = (project: string, defaultRegion: string | null) =>
    house.call('PATCH', `/v1/projects/${project}`, { body: { spec: { defaultRegion } } })
  expect((await set('acme%2Fshop', 'for-acme')).body.spec).toEqual({ defaultRegion: metadata.id })
  expect(await set('globex%2Fshop', 'for-acme')).toMatchObject({ status: 404 })
  expect((await set('acme%2Fshop', null)).body.spec).toEqual({})
  const body = { name: 'lab', spec: { defaultRegion: 'for-acme' } }
  await house.must(404, 'POST', '/v1/organizations/globex/projects', { body })
  const lab = await house.must(201, 'POST', '/v1/organizations/acme/projects', { body })
  expect(lab.spec).toEqual({ defaultRegion: metadata.id })
})
