import { hours } from '@stead/world'
import { expect, test } from 'vitest'
import { type Account, IdentityHouse } from '../tests/house.ts'
import { byToken } from './by-token.ts'
import { KnownTokens } from './known-tokens.ts'

const shop = '/v1/projects/acme%2Fshop'
const lab = '/v1/projects/acme%2Flab'

/** An account that has just been let in with its token, so that it is known. */
async function knownReader(house: IdentityHouse): Promise<Account> {
  const ci = await house.account('acme', 'ci', { role: 'reader', project: 'shop' })
  for (let time = 0; time < 2; time++) await house.must(200, 'GET', shop, { token: ci.token })
  return ci
}

const grantsOf = async (house: IdentityHouse, place: string, { id }: Account) => {
  const { items } = await house.must(200, 'GET', `${place}/grants`)
  return items.filter(({ spec }: { spec: { principal: string } }) => spec.principal === id)
}

test('what is granted to a known token holds from the next request on, there only, and what is taken away ends with it', async () => {
  const house = await IdentityHouse.openWithAcme()
  const ci = await knownReader(house)
  await house.must(404, 'GET', lab, { token: ci.token })
  await house.must(201, 'POST', `${lab}/grants`, { body: { principal: ci.id, role: 'reader' } })
  await house.must(200, 'GET', lab, { token: ci.token })
  const [grant] = await grantsOf(house, shop, ci)
  await house.must(202, 'DELETE', `${shop}/grants/${grant.metadata.id}`)
  await house.must(404, 'GET', shop, { token: ci.token })
  await house.must(200, 'GET', lab, { token: ci.token })
})

test('what an organization’s own role says holds for a known token from the next request on', async () => {
  const house = await IdentityHouse.openWithAcme()
  const roles = '/v1/organizations/acme/roles'
  await house.must(201, 'POST', roles, { body: { name: 'looker', spec: { permissions: ['projects:read'] } } })
  const ci = await house.account('acme', 'ci', { role: 'looker' })
  await house.must(200, 'GET', shop, { token: ci.token })
  await house.must(200, 'PATCH', `${roles}/looker`, { body: { spec: { permissions: ['operations:read'] } } })
  await house.must(404, 'GET', shop, { token: ci.token })
  await house.must(200, 'PATCH', `${roles}/looker`, { body: { spec: { permissions: ['projects:read'] } } })
  await house.must(200, 'GET', shop, { token: ci.token })
})

test('a known token is refused from its last moment on, and once it is revoked or whose it is may not act', async () => {
  const house = await IdentityHouse.openWithAcme()
  const ci = await knownReader(house)
  const revoked = await house.must(201, 'POST', `${ci.path}/tokens`, { body: { expiresIn: '48h' } })
  const lasting = await house.must(201, 'POST', `${ci.path}/tokens`, { body: { expiresIn: '48h' } })
  for (const { token } of [revoked, lasting]) await house.must(200, 'GET', shop, { token })
  await house.must(202, 'DELETE', `${ci.path}/tokens/${revoked.metadata.id}`)
  await house.must(401, 'GET', shop, { token: revoked.token })
  await house.must(200, 'GET', shop, { token: ci.token })
  house.pass(hours(25))
  expect((await house.must(401, 'GET', shop, { token: ci.token })).detail).toBe('the token has expired')
  await house.must(200, 'PATCH', ci.path, { body: { spec: { disabled: true } } })
  await house.must(401, 'GET', shop, { token: lasting.token })
  await house.must(200, 'PATCH', ci.path, { body: { spec: { disabled: null } } })
  await house.must(200, 'GET', shop, { token: lasting.token })
})

test('tokens of one account with different scopes are not taken for each other', async () => {
  const house = await IdentityHouse.openWithAcme()
  const boss = await house.account('acme', 'boss', { role: 'org-admin' })
  const scope = { permissions: ['projects:read'], project: 'lab' }
  const narrow = await house.must(201, 'POST', `${boss.path}/tokens`, { body: { scope } })
  for (let time = 0; time < 2; time++) {
    await house.must(200, 'GET', shop, { token: boss.token })
    await house.must(404, 'GET', shop, { token: narrow.token })
    await house.must(200, 'GET', lab, { token: narrow.token })
  }
})

test('a token is known by a hash once it has proved itself, and nothing else is', async () => {
  const house = await IdentityHouse.openWithAcme()
  const ci = await house.account('acme', 'ci', { role: 'reader' })
  const known = new KnownTokens()
  const used: string[] = []
  const sources = { everything: house.engine.cache.platform(), world: house.world }
  const method = byToken({ ...sources, lastUse: { note: id => used.push(id) } }, known)
  const come = (authorization: string) => method({ method: 'GET', headers: { authorization }, address: '127.0.0.1' })
  const first = come(`Bearer ${ci.token}`)
  expect(come(`Bearer ${ci.token}`), 'is not found out twice').toBe(first)
  expect(used, 'each use is noted').toEqual([ci.tokenId, ci.tokenId])
  const other = ci.token.replace(/.$/, last => (last === 'A' ? 'Q' : 'A'))
  expect(() => come(`Bearer ${other}`)).toThrow('the token is unknown or was revoked')
  for (const header of ['Basic YTpi', `Bearer ${'x'.repeat(600)}`]) expect(come(header)).toBeUndefined()
  expect(known.size).toBe(1)
  expect(known.nameOf(`Bearer ${ci.token}`)).not.toContain(ci.token.slice(6, 20))
  expect(come(`bearer    ${ci.token}`), 'however it is spelled').toMatchObject({ credentialId: ci.tokenId })
  await house.must(202, 'DELETE', `${ci.path}/tokens/${ci.tokenId}`)
  expect(() => come(`Bearer ${ci.token}`)).toThrow('the token is unknown or was revoked')
  expect(known.size, 'what is refused is forgotten').toBe(1)
})

test('on one connection each token is whose it is, and what came before on it excuses nothing', async () => {
  const house = await IdentityHouse.openWithAcme()
  const ci = await house.account('acme', 'ci', { role: 'reader' })
  const other = await house.account('acme', 'other', { role: 'reader' })
  const sources = { everything: house.engine.cache.platform(), world: house.world }
  const method = byToken({ ...sources, lastUse: { note: () => {} } })
  const connection = {}
  const come = (token: string) =>
    method({ method: 'GET', headers: { authorization: `Bearer ${token}` }, address: '127.0.0.1', connection })
  const first = come(ci.token)
  expect(come(ci.token), 'is not found out twice').toBe(first)
  expect(come(other.token)).toMatchObject({ credentialId: other.tokenId })
  expect(come(ci.token)).toMatchObject({ credentialId: ci.tokenId })
  for (const at of [30, ci.token.length - 1]) {
    const wrong = ci.token.slice(0, at) + (ci.token[at] === 'A' ? 'Q' : 'A') + ci.token.slice(at + 1)
    expect(() => come(wrong), `with character ${at} changed`).toThrow('the token is unknown or was revoked')
  }
  expect(come(ci.token.slice(0, -1)), 'what is no token of ours is for others to judge').toBeUndefined()
  await house.must(202, 'DELETE', `${ci.path}/tokens/${ci.tokenId}`)
  expect(() => come(ci.token)).toThrow('the token is unknown or was revoked')
  come(other.token)
  house.pass(hours(25))
  expect(() => come(other.token)).toThrow('the token has expired')
})

test('of very many tokens the first to come are forgotten, and found out anew', () => {
  const known = new KnownTokens()
  const entry = {} as never
  for (let index = 0; index < 10_001; index++) known.remember(String(index), entry)
  expect(known.size).toBe(10_000)
  expect(known.get('0')).toBeUndefined()
  expect(known.get('10000')).toBe(entry)
})
