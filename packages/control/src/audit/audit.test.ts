import { instant, millis, minutes } from '@stead/world'
import { expect, test } from 'vitest'
import { type Account, IdentityHouse } from '../identity/tests/house.ts'
import type { AuditBody } from './model.ts'

type Entry = AuditBody & { readonly id: string; readonly at: string }

const acme = '/v1/organizations/acme/audit'

async function opened() {
  const house = await IdentityHouse.open()
  const organization = await house.organization('acme')
  await house.project('acme', 'shop')
  return { house, organizationId: organization.metadata.id as string }
}

const read = async (house: IdentityHouse, path = acme): Promise<readonly Entry[]> =>
  (await house.must(200, 'GET', path)).items

/** What is written off the request's path is there a little later. */
const written = (house: IdentityHouse, path: string, count: number): Promise<readonly Entry[]> =>
  expect
    .poll(() => read(house, path))
    .toHaveLength(count)
    .then(() => read(house, path))

test('a change is told with who made it, from where, and what was before and after', async () => {
  const { house, organizationId } = await opened()
  const { id, token, tokenId } = await house.account('acme', 'boss', { role: 'org-admin' })
  const patch = { displayName: 'The shop', labels: { tier: 'web' } }
  const headers = { 'user-agent': 'curl/8', traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }
  const shop = await house.must(200, 'PATCH', '/v1/projects/acme%2Fshop', { token, body: patch, headers })
  await house.must(200, 'PATCH', '/v1/projects/acme%2Fshop', { token, body: { labels: { tier: 'api' } } })
  const [second, first] = await read(house, `${acme}?action=projects:update`)
  expect(first).toEqual({
    id: expect.any(String),
    at: expect.stringMatching(/^20.*Z$/),
    actor: { id, type: 'service-account', name: 'boss', credential: tokenId },
    action: 'projects:update',
    request: 'PATCH /v1/projects/:project',
    organizationId,
    projectId: shop.metadata.id,
    object: { kind: 'project', id: shop.metadata.id, name: 'shop' },
    changed: [
      {
        kind: 'project',
        id: shop.metadata.id,
        name: 'shop',
        op: 'update',
        changes: [
          { path: '/displayName', to: 'The shop' },
          { path: '/labels/tier', to: 'web' },
        ],
      },
    ],
    result: 'done',
    from: { address: '127.0.0.1', userAgent: 'curl/8' },
    traceId: 'a'.repeat(32),
    count: 1,
  })
  expect(second!.changed![0]!.changes).toEqual([{ path: '/labels/tier', from: 'web', to: 'api' }])
})

test('limits are told as they were and as they are', async () => {
  const { house } = await opened()
  await house.must(200, 'PUT', '/v1/organizations/acme/quotas', { body: { limits: { gpus: 2 } } })
  await house.must(200, 'PUT', '/v1/organizations/acme/quotas', { body: { limits: { gpus: 5, fleets: 1 } } })
  const [entry] = await read(house, `${acme}?action=quotas:limit`)
  expect(entry!.changed![0]!.changes).toEqual([
    { path: '/spec/limits/gpus', from: 2, to: 5 },
    { path: '/spec/limits/fleets', to: 1 },
  ])
})

test('what changed nothing, or was not done, is not told as done', async () => {
  const { house } = await opened()
  const before = (await read(house)).length
  await house.must(200, 'PATCH', '/v1/projects/acme%2Fshop', { body: { labels: {} } })
  await house.must(409, 'POST', '/v1/organizations/acme/projects', { body: { name: 'shop' } })
  await house.must(400, 'POST', '/v1/organizations/acme/projects', { body: { nam: 'x' } })
  expect(await read(house)).toHaveLength(before)
})

test('a request sent again with its key is told once', async () => {
  const { house } = await opened()
  const send = () =>
    house.must(201, 'POST', '/v1/organizations/acme/projects', {
      body: { name: 'lab' },
      headers: { 'idempotency-key': 'k' },
    })
  await Promise.all(Array.from({ length: 5 }, send))
  expect((await read(house, `${acme}?object=lab`)).map(({ action }) => action)).toEqual(['projects:create'])
})

test('no secret is ever written: tokens, their hashes, headers', async () => {
  const { house } = await opened()
  const { token } = await house.account('acme', 'ci')
  const records = [
    ...(await house.store.records({ table: 'audit', scope: (await read(house))[0]!.organizationId!, limit: 100 })),
    ...(await house.store.records({ table: 'audit-index', scope: 'platform', limit: 100 })),
  ]
  const text = JSON.stringify(records)
  for (const word of token.split(/[_.]/).slice(1)) if (word.length > 40) expect(text).not.toContain(word)
  expect(text).not.toContain(token)
  expect(text).not.toContain('hash')
  expect(text).toContain('tokens:create')
})

test('denials are told to the organization that was asked for, even where the answer was that there is none', async () => {
  const { house } = await opened()
  await house.organization('globex')
  const { id, token } = await house.account('globex', 'spy', { role: 'org-admin' })
  await house.must(404, 'DELETE', '/v1/projects/acme%2Fshop', { token })
  const [entry] = await written(house, `${acme}?actor=${id}`, 1)
  expect(entry).toMatchObject({
    actor: { id, name: 'spy' },
    action: 'projects:delete',
    result: 'denied',
    code: 'not_found',
    count: 1,
  })
  expect(entry!.changed).toBeUndefined()
})

test('the same denial again and again is told at once, and then with a count', async () => {
  const { house } = await opened()
  const { id, token } = await house.account('acme', 'dev', { role: 'developer', project: 'shop' })
  for (let n = 0; n < 30; n++) await house.must(403, 'DELETE', '/v1/projects/acme%2Fshop', { token })
  await written(house, `${acme}?actor=${id}`, 1)
  await house.rooms.close()
  expect((await read(house, `${acme}?actor=${id}`)).map(({ count, code }) => ({ count, code }))).toEqual([
    { count: 29, code: 'forbidden' },
    { count: 1, code: 'forbidden' },
  ])
})

test('attempts without a valid token are counted by address, and nothing of what they sent is kept', async () => {
  const { house } = await opened()
  for (let n = 0; n < 50; n++) {
    await house.must(401, 'POST', `/v1/organizations/noise-${n}/projects`, { token: `stead_${n}`, body: { name: 'x' } })
    await house.must(401, 'GET', `/v1/organizations/noise-${n}`, { token: null })
  }
  await house.rooms.close()
  const entries = await read(house, '/v1/system/audit?actor=nobody')
  expect(entries).toHaveLength(1)
  expect(entries[0]).toMatchObject({
    count: 100,
    result: 'denied',
    code: 'unauthenticated',
    from: { address: '127.0.0.1' },
  })
  expect(JSON.stringify(entries)).not.toContain('noise')
})

test('signing in is told of who signed in, and failing to of the name that was tried', async () => {
  const { house } = await opened()
  const password = 'correct horse battery'
  const { token } = await house.must(201, 'POST', '/v1/organizations/acme/invitations', {
    body: { email: 'ada@example.com', role: 'reader' },
  })
  const user = await house.must(201, 'POST', '/v1/invitations/accept', { token: null, body: { token, password } })
  const { id } = user.metadata
  const signIn = (status: number, email: string, given: string) =>
    house.must(status, 'POST', '/v1/sessions', { token: null, body: { email, password: given } })
  const { metadata: session } = await signIn(201, 'ada@example.com', password)
  const ada = { id, type: 'user', name: 'ada@example.com' }
  expect(await read(house, `/v1/system/audit?actor=${id}`)).toMatchObject([
    { action: 'sessions:create', actor: { ...ada, credential: session.id }, result: 'done' },
    { action: 'accept:create', actor: ada, result: 'done' },
  ])
  for (const name of ['Ada@example.com', 'ada@example.com', 'eve@example.com'])
    await signIn(401, name, 'wrong-but-long')
  await house.rooms.close()
  const denied = await read(house, '/v1/system/audit?actor=nobody')
  expect(denied).toMatchObject([
    { actor: { type: 'nobody', name: 'eve@example.com' }, request: 'POST /v1/sessions', result: 'denied', count: 1 },
    { actor: { type: 'nobody', name: 'ada@example.com' }, request: 'POST /v1/sessions', result: 'denied', count: 2 },
  ])
  expect(JSON.stringify(denied)).not.toContain('wrong-but-long')
})

test('entries are found by actor, action, object and time, by id and by name', async () => {
  const { house } = await opened()
  const boss = await house.account('acme', 'boss', { role: 'org-admin' })
  const other = await house.account('acme', 'other', { role: 'org-admin' })
  const made: Record<string, string> = {}
  for (const [n, { token }] of [boss, other, boss].entries()) {
    house.pass(minutes(10))
    const { metadata } = await house.must(201, 'POST', '/v1/organizations/acme/projects', {
      token,
      body: { name: `p${n}` },
    })
    made[`p${n}`] = metadata.id
    await house.must(200, 'PATCH', `/v1/projects/${metadata.id}`, { token, body: { displayName: 'x' } })
  }
  const found = async (query: string) =>
    (await read(house, `${acme}?${query}`)).map(({ action, object }) => `${action} ${object?.name}`)
  const ofBoss = ['projects:update p2', 'projects:create p2', 'projects:update p0', 'projects:create p0']
  expect(await found(`actor=${boss.id}`)).toEqual(ofBoss)
  expect(await found('actor=boss')).toEqual(ofBoss)
  expect(await found(`actor=${boss.id}&action=projects:create`)).toEqual(['projects:create p2', 'projects:create p0'])
  expect(await found(`actor=other&action=projects:*`)).toEqual(['projects:update p1', 'projects:create p1'])
  expect(await found(`object=${made.p1}`)).toEqual(['projects:update p1', 'projects:create p1'])
  expect(await found(`object=p1&actor=${other.id}`)).toEqual(['projects:update p1', 'projects:create p1'])
  expect(await found(`object=${made.p1}&actor=${boss.id}`)).toEqual([])
  const [last] = await read(house, `${acme}?object=${made.p1}`)
  expect(await found(`since=${last!.at}&action=projects:*`)).toEqual([
    'projects:update p2',
    'projects:create p2',
    'projects:update p1',
  ])
  expect(await found(`until=${last!.at}&action=projects:update`)).toEqual(['projects:update p0'])
  expect((await house.call('GET', `${acme}?since=yesterday`)).body).toMatchObject({ code: 'invalid_request' })
})

test('a list is paged, each entry once, while more is written', async () => {
  const { house } = await opened()
  const { token } = await house.account('acme', 'boss', { role: 'org-admin' })
  for (let n = 0; n < 12; n++)
    await house.must(200, 'PATCH', '/v1/projects/acme%2Fshop', { token, body: { displayName: `n${n}` } })
  for (const path of [`${acme}?action=projects:update&`, '/v1/system/audit?action=projects:update&']) {
    const ids: string[] = []
    for (let cursor = ''; ; ) {
      const page = await house.must(200, 'GET', `${path}limit=5${cursor}`)
      expect(page).toMatchObject({ total: 12, totalIsExact: true })
      ids.push(...page.items.map(({ id }: Entry) => id))
      if (page.nextCursor === null) break
      cursor = `&cursor=${page.nextCursor}`
      await house.must(200, 'PATCH', '/v1/organizations/acme', { token, body: { displayName: `n${ids.length}` } })
    }
    expect(ids).toHaveLength(12)
    expect(new Set(ids).size).toBe(12)
    expect(ids).toEqual(ids.toSorted((a, b) => Number(b) - Number(a)))
  }
})

test('everything can be had as JSON lines', async () => {
  const { house } = await opened()
  const { token } = await house.account('acme', 'boss', { role: 'org-admin' })
  for (let n = 0; n < 30; n++)
    await house.must(200, 'PATCH', '/v1/projects/acme%2Fshop', { token, body: { displayName: `n${n}` } })
  const answer = await fetch(`${house.url}${acme}?action=projects:update`, {
    headers: { authorization: `Bearer ${token}`, accept: 'application/x-ndjson' },
  })
  expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8')
  const lines = (await answer.text()).trimEnd().split('\n')
  expect(lines.map(line => JSON.parse(line))).toEqual(await read(house, `${acme}?action=projects:update`))
  expect(lines).toHaveLength(30)
})

test('an organization sees its own entries only; the platform sees all, those of organizations that are gone too', async () => {
  const { house, organizationId } = await opened()
  await house.organization('globex')
  const auditor = await house.account('globex', 'auditor', { role: 'auditor' })
  const names = (entries: readonly Entry[]) => new Set(entries.map(entry => entry.organizationId))
  await house.must(404, 'GET', acme, { token: auditor.token })
  await house.must(403, 'GET', '/v1/system/audit', { token: auditor.token })
  const own = await house.must(200, 'GET', `/v1/organizations/globex/audit?actor=admin`, { token: auditor.token })
  expect(names(own.items).has(organizationId)).toBe(false)
  expect(own.items.length).toBeGreaterThan(0)
  await house.must(202, 'DELETE', '/v1/organizations/acme?cascade=true')
  await house.gone('/v1/organizations/acme')
  const all = await read(house, '/v1/system/audit?action=organizations:*')
  expect(all.map(({ action, object }) => `${action} ${object?.name}`)).toEqual([
    'organizations:delete acme',
    'organizations:delete acme',
    'organizations:create globex',
    'organizations:create acme',
  ])
})

test('what ends with something is told one by one, with who asked for the end', async () => {
  const { house } = await opened()
  const boss = await house.account('acme', 'boss', { role: 'org-admin' })
  for (let n = 0; n < 25; n++)
    await house.account('acme', `ci-${n}`, { role: 'reader', ...(n < 24 && { project: 'shop' }) })
  await house.must(202, 'DELETE', '/v1/projects/acme%2Fshop?cascade=true', { token: boss.token })
  await house.gone('/v1/projects/acme%2Fshop')
  const controller = { id: 'project-teardown', type: 'controller' }
  const told = await read(house, `${acme}?actor=project-teardown`)
  expect(told.map(({ action, changed }) => [action, changed?.length])).toEqual([
    ['projects:delete', 1],
    ['grants:delete', 4],
    ['grants:delete', 20],
  ])
  for (const entry of told) expect(entry).toMatchObject({ actor: controller, onBehalfOf: boss.id, result: 'done' })
  expect(told[1]!.changed![0]).toMatchObject({ kind: 'grant', op: 'delete' })
  expect(JSON.stringify(told)).not.toContain('hash')
  await house.must(202, 'DELETE', '/v1/organizations/acme?cascade=true')
  await house.gone('/v1/organizations/acme')
  const { principal } = await house.must(200, 'GET', '/v1/whoami')
  const accounts = await read(house, '/v1/system/audit?actor=service-account-teardown&action=tokens:delete')
  expect(accounts).toHaveLength(26)
  for (const { onBehalfOf } of accounts) expect(onBehalfOf).toBe(principal.id)
})

test('who lost the right to read does not get the rest of an export', async () => {
  const { house } = await opened()
  const auditor: Account = await house.account('acme', 'auditor', { role: 'auditor' })
  const { routes } = house.rooms
  const route = routes.find(({ path, method }) => path === '/v1/organizations/:organization/audit' && method === 'GET')!
  const caller = await house.rooms.authenticate({
    method: 'GET',
    headers: { authorization: `Bearer ${auditor.token}` },
    address: '127.0.0.1',
  })
  const place = { type: 'organization', organizationId: (await read(house))[0]!.organizationId }
  const reply = (await route.handle(
    { query: { limit: 50 }, place, caller, accept: 'application/x-ndjson' } as never,
    {} as never,
  )) as { lines: AsyncIterable<string> }
  await house.must(202, 'DELETE', `${auditor.path}/tokens/${auditor.tokenId}`)
  await expect(reply.lines[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'forbidden' })
})

test('an entry that was forgotten is not found, even where the index still speaks of it', async () => {
  const { house } = await opened()
  const before = await read(house, '/v1/system/audit')
  await house.world.sleep(millis(5))
  await house.organization('later')
  // The store's own clock says when: PostgreSQL's, where that is the store.
  const [later] = await read(house, '/v1/system/audit')
  const limit = { before: instant(Date.parse(later!.at)), limit: 1_000 }
  expect(await house.store.expireRecords({ table: 'audit', ...limit })).toBe(before.length)
  expect((await read(house, '/v1/system/audit')).map(({ object }) => object?.name)).toEqual(['later'])
})
