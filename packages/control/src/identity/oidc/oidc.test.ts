import { hours, realWorld } from '@stead/world'
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { outgoingClient } from '../../outgoing/client.ts'
import { Browser } from '../tests/browser.ts'
import { IdentityHouse } from '../tests/house.ts'
import { TestIssuer } from '../tests/issuer.ts'

const publicUrl = 'https://stead.example'
const accounts = {
  robot: { groups: ['builders'], name: 'Build robot' },
  ada: { groups: ['staff', 'platform-team'], name: 'Ada', email: 'ada@example.com' },
  bob: { groups: ['staff'], name: 'Bob' },
  eve: { groups: ['strangers'] },
}
let issuer: TestIssuer
let house: IdentityHouse

beforeAll(async () => {
  issuer = await TestIssuer.start(accounts, `${publicUrl}/v1/oidc/corp/callback`)
  const provider = {
    name: 'corp',
    issuer: issuer.url,
    audiences: [issuer.audience],
    clientId: issuer.clientId,
    clientSecret: issuer.clientSecret,
    scopes: ['profile', 'email'],
    rules: [
      { claim: 'groups', value: 'platform-team', role: 'platform-admin' },
      { claim: 'groups', value: 'staff', role: 'reader', organization: 'acme' },
      { claim: 'groups', value: 'builders', role: 'developer', organization: 'acme', project: 'shop' },
      { claim: 'groups', value: 'builders', role: 'org-admin', organization: 'nowhere' },
      { claim: 'groups', value: 'builders', role: 'org-admin', organization: 'acme', project: 'shop' },
    ],
  }
  house = await IdentityHouse.openForAll({
    publicUrl,
    oidc: { providers: [provider], client: outgoingClient({ world: realWorld, allow: ['127.0.0.1/32'] }) },
  })
  await house.organization('acme')
  await house.project('acme', 'shop')
  await house.project('acme', 'lab')
})
afterAll(async () => {
  await house.close()
  await issuer.stop()
})

const status = async (path: string, token: string) => (await house.call('GET', path, { token })).status
const users = () => house.engine.cache.platform().count({ kind: 'user' })

describe('bearer tokens', () => {
  test('are worth what the rules make of their claims, where the rules say', async () => {
    const token = await issuer.bearer()
    expect(await status('/v1/projects/acme%2Fshop', token)).toBe(200)
    expect(await status('/v1/projects/acme%2Flab', token)).toBe(404)
    expect(await status('/v1/organizations/acme', token)).toBe(404)
    const me = await house.must(200, 'GET', '/v1/whoami', { token })
    expect(me).toMatchObject({
      principal: { type: 'user', displayName: 'Build robot' },
      grants: [{ role: 'developer', on: 'project', project: { name: 'shop' } }],
    })
  })

  test('make one user of one subject, however many come at once', async () => {
    const token = await issuer.bearer()
    const before = users()
    await Promise.all(Array.from({ length: 10 }, () => status('/v1/whoami', token)))
    expect(users()).toBe(Math.max(before, 1))
    const { items } = await house.must(200, 'GET', '/v1/users')
    expect(items.map((user: { spec: object }) => user.spec)).toContainEqual({
      oidc: { issuer: issuer.url, subject: 'robot' },
    })
    const told = await house.must(200, 'GET', '/v1/system/audit?action=users:create')
    const robot = items.find((user: { spec: { oidc?: { subject: string } } }) => user.spec.oidc?.subject === 'robot')
    const { id } = robot.metadata
    expect(told.items.filter(({ object }: { object?: { id: string } }) => object?.id === id)).toMatchObject([
      { actor: { id, type: 'user' }, request: 'OIDC', from: { address: issuer.url }, result: 'done' },
    ])
  })

  test('are worth grants too, and nothing once the user is disabled', async () => {
    const token = await issuer.bearer()
    const { principal } = await house.must(200, 'GET', '/v1/whoami', { token })
    await house.must(201, 'POST', '/v1/organizations/acme/grants', {
      body: { principal: principal.id, role: 'reader', project: 'lab' },
    })
    expect(await status('/v1/projects/acme%2Flab', token)).toBe(200)
    await house.must(200, 'PATCH', `/v1/users/${principal.id}`, { body: { disabled: true } })
    expect(await status('/v1/projects/acme%2Fshop', token)).toBe(401)
    await house.must(200, 'PATCH', `/v1/users/${principal.id}`, { body: { disabled: false } })
  })

  test('for another audience are refused', async () =>
    expect(await status('/v1/whoami', await issuer.bearer('another-api'))).toBe(401))

  test('end when they expire', async () => {
    const token = await issuer.bearer()
    house.pass(hours(24))
    expect((await house.must(401, 'GET', '/v1/whoami', { token })).detail).toBe('the token has expired')
    house.pass(hours(-24))
  })

  test('that anybody could have made are refused', async () => {
    const real = await issuer.bearer()
    const [header = '', payload = '', signature = ''] = real.split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const known = JSON.parse(Buffer.from(header, 'base64url').toString())
    const own = await generateKeyPair('RS256')
    const { keys } = (await (await fetch(`${issuer.url}/jwks`)).json()) as { keys: object[] }
    const publicKey = new TextEncoder().encode(JSON.stringify(keys[0]))
    const better = Buffer.from(JSON.stringify({ ...claims, groups: ['platform-team'] })).toString('base64url')
    const forged = [
      await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: known.kid }).sign(own.privateKey),
      await new SignJWT(claims)
        .setProtectedHeader({ alg: 'RS256', jwk: await exportJWK(own.publicKey) })
        .sign(own.privateKey),
      await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: known.kid }).sign(publicKey),
      new UnsecuredJWT(claims).encode(),
      `${header}.${better}.${signature}`,
      `${header}.${payload}.`,
      await new SignJWT({ ...claims, iss: 'https://other.example' })
        .setProtectedHeader({ alg: 'RS256', kid: known.kid })
        .sign(own.privateKey),
    ]
    for (const token of forged) expect(await status('/v1/whoami', token)).toBe(401)
    expect(await status('/v1/whoami', real)).toBe(200)
  })

  test('do not make us ask for the keys each time', async () => {
    const before = issuer.keysRead
    for (let count = 0; count < 5; count++) await status('/v1/whoami', await issuer.bearer())
    expect(issuer.keysRead).toBe(before)
  })
})

/** Goes through the whole sign-in, as a browser does. */
async function signIn(login: string, browser = new Browser(house, publicUrl)) {
  const begun = await browser.call('GET', '/v1/oidc/corp/login?returnTo=/projects')
  expect(begun.status).toBe(302)
  const back = await issuer.signIn(begun.headers.get('location')!, login)
  return { browser, back, answer: await browser.call('GET', back.pathname + back.search) }
}

describe('signing in to the console', () => {
  test('leads to the provider and back into a session with the rights of the claims', async () => {
    const { browser, back, answer } = await signIn('bob')
    expect(back.href).toMatch(/^https:\/\/stead\.example\/v1\/oidc\/corp\/callback\?/)
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/projects'])
    const me = await browser.call('GET', '/v1/whoami')
    expect(me.body).toMatchObject({
      principal: { displayName: 'Bob' },
      grants: [{ role: 'reader', on: 'organization', organization: { name: 'acme' } }],
    })
    const change = { body: { displayName: 'x' } }
    expect((await browser.call('PATCH', '/v1/organizations/acme', change)).body).toMatchObject({
      code: 'forbidden',
      detail: 'this needs the permission organizations:update',
    })
    const { browser: admin } = await signIn('ada')
    await admin.call('GET', '/v1/whoami')
    expect((await admin.call('PATCH', '/v1/organizations/acme', change)).status).toBe(200)
  })

  test('is offered to whoever asks', async () =>
    expect((await house.must(200, 'GET', '/v1/oidc', { token: null })).items).toEqual([
      { name: 'corp', login: '/v1/oidc/corp/login' },
    ]))

  test('does not let in who is worth nothing here, and keeps nothing of them', async () => {
    const before = users()
    const { answer } = await signIn('eve')
    expect(answer.body).toMatchObject({ code: 'unauthenticated' })
    expect(users()).toBe(before)
  })

  test('is refused in a browser in which it did not begin, and a code is good for once', async () => {
    const { browser, back } = await signIn('bob')
    const elsewhere = new Browser(house, publicUrl)
    const path = back.pathname + back.search
    expect((await elsewhere.call('GET', path)).body.detail).toContain('did not begin in this browser')
    const other = new Browser(house, publicUrl)
    await other.call('GET', '/v1/oidc/corp/login')
    expect((await other.call('GET', path)).status).toBe(401)
    expect((await browser.call('GET', path)).status).toBeGreaterThanOrEqual(401)
  })

  test('takes no answer of another issuer, and none without a code', async () => {
    const browser = new Browser(house, publicUrl)
    const begun = await browser.call('GET', '/v1/oidc/corp/login')
    const state = new URL(begun.headers.get('location')!).searchParams.get('state')
    const callback = (more: string) => browser.call('GET', `/v1/oidc/corp/callback?state=${state}&${more}`)
    expect((await callback('code=x&iss=https://other.example')).body.detail).toContain('another identity provider')
    expect((await callback('error=access_denied')).body.detail).toContain('did not let you in')
    expect((await browser.call('GET', '/v1/oidc/other/login')).status).toBe(404)
  })

  test('goes on nowhere but on this site', async () => {
    for (const returnTo of [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      'javascript:alert(1)',
      '/a\\b',
    ]) {
      const browser = new Browser(house, publicUrl)
      const begun = await browser.call('GET', `/v1/oidc/corp/login?returnTo=${encodeURIComponent(returnTo)}`)
      const back = await issuer.signIn(begun.headers.get('location')!, 'bob')
      const answer = await browser.call('GET', back.pathname + back.search)
      expect(answer.headers.get('location')).toBe('/')
    }
  })
})

test('an issuer that may not be reached is not reached, and its tokens are not accepted', async () => {
  const guarded = await IdentityHouse.open({
    oidc: {
      providers: [{ name: 'corp', issuer: issuer.url, audiences: [issuer.audience], rules: [] }],
      client: outgoingClient({ world: realWorld }),
    },
  })
  const before = issuer.keysRead
  expect((await guarded.call('GET', '/v1/whoami', { token: await issuer.bearer() })).body).toMatchObject({
    code: 'unavailable',
    detail: 'the identity provider cannot be asked for its keys',
  })
  expect(issuer.keysRead).toBe(before)
})
