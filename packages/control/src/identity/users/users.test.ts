import { hours } from '@stead/world'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EventClient } from '../../door/tests/event-client.ts'
import { Browser } from '../tests/browser.ts'
import { IdentityHouse } from '../tests/house.ts'

const password = 'correct horse battery'
let house: IdentityHouse
let count = 0

beforeAll(async () => {
  house = await IdentityHouse.openForAll()
})
afterAll(() => house.close())

/** An organization with a project, of no other test. */
async function tenant() {
  const name = `tenant-${++count}`
  await house.organization(name)
  await house.project(name, 'shop')
  return { name, path: `/v1/organizations/${name}`, shop: `/v1/projects/${name}%2Fshop` }
}

const invite = (path: string, body: object, token = house.admin) =>
  house.call('POST', `${path}/invitations`, { body, token })

const accept = (token: string, more: object = {}) =>
  house.call('POST', '/v1/invitations/accept', { token: null, body: { token, password, ...more } })

/** Somebody who was invited and has accepted. */
async function person(path: string, role: string, more: object = {}) {
  const email = `person-${++count}@example.com`
  const { body } = await invite(path, { email, role, ...more })
  const { body: user } = await accept(body.token, { displayName: 'Somebody' })
  const browser = new Browser(house)
  expect((await browser.signIn(email, password)).status).toBe(201)
  return { id: user.metadata.id as string, email, browser }
}

describe('invitations', () => {
  test('whoever accepts one becomes a user with the role that was promised, and no more', async () => {
    const { path, shop } = await tenant()
    const { id, browser } = await person(path, 'project-admin', { project: 'shop' })
    expect((await browser.call('GET', shop)).status).toBe(200)
    expect((await browser.call('GET', path)).status).toBe(404)
    const { items } = await house.must(200, 'GET', `${path}/users`)
    expect(items).toMatchObject([{ metadata: { id, displayName: 'Somebody' }, spec: { email: expect.any(String) } }])
    expect((await house.must(200, 'GET', `${path}/invitations`)).items).toEqual([])
  })

  test('one is accepted once, however many try', async () => {
    const { path } = await tenant()
    const { body } = await invite(path, { email: `once-${++count}@example.com`, role: 'reader' })
    const answers = await Promise.all([1, 2, 3].map(() => accept(body.token)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect((await accept(body.token)).body.code).toBe('not_found')
  })

  test('one that is withdrawn, has expired, or was tampered with is good for nothing', async () => {
    const { path } = await tenant()
    const role = 'reader'
    const withdrawn = (await invite(path, { email: 'a@example.com', role })).body
    await house.must(202, 'DELETE', `${path}/invitations/${withdrawn.metadata.id}`)
    expect((await accept(withdrawn.token)).status).toBe(404)
    const valid = (await invite(path, { email: 'b@example.com', role })).body
    expect((await accept(`${valid.token.slice(0, -2)}AA`)).status).toBe(404)
    expect((await accept(valid.token, { password: 'short' })).status).toBe(400)
    const short = (await invite(path, { email: 'c@example.com', role, expiresIn: '1h' })).body
    house.pass(hours(2))
    expect((await accept(short.token)).status).toBe(404)
    expect((await invite(path, { email: 'd@example.com', role, expiresIn: '31d' })).status).toBe(422)
  })

  test('nobody invites to more than they hold', async () => {
    const { path, name } = await tenant()
    const clerk = await house.account(name, 'clerk', { role: 'org-admin' })
    expect((await invite(path, { email: 'x@example.com', role: 'org-admin' }, clerk.token)).status).toBe(201)
    expect((await invite('/v1', { email: 'x@example.com', role: 'platform-admin' }, clerk.token)).status).toBe(403)
    const lead = await house.account(name, 'lead', { role: 'project-admin', project: 'shop' })
    expect((await invite(path, { email: 'x@example.com', role: 'reader' }, lead.token)).status).toBe(404)
  })

  test('an existing user accepts signed in, and only what was meant for them', async () => {
    const [first, second] = [await tenant(), await tenant()]
    const { email, browser } = await person(first.path, 'reader')
    const { body } = await invite(second.path, { email: email.toUpperCase(), role: 'reader' })
    expect((await accept(body.token)).body).toMatchObject({ code: 'invalid_state' })
    const other = await person(first.path, 'reader')
    const take = (by: Browser) => by.call('POST', '/v1/me/invitations', { body: { token: body.token } })
    expect((await take(other.browser)).status).toBe(403)
    expect((await browser.call('GET', second.path)).status).toBe(404)
    expect((await take(browser)).status).toBe(200)
    expect((await browser.call('GET', second.path)).status).toBe(200)
    expect((await take(browser)).status).toBe(404)
  })

  test('they go with their project', async () => {
    const { path, shop } = await tenant()
    const { body } = await invite(path, { email: 'late@example.com', role: 'reader', project: 'shop' })
    await house.must(202, 'DELETE', shop)
    await house.gone(shop)
    expect((await accept(body.token)).status).toBe(404)
  })
})

describe('sessions', () => {
  test('the cookie is out of reach of scripts and other sites, and ends with the session', async () => {
    const { path } = await tenant()
    const { email, browser } = await person(path, 'reader')
    const signedIn = await browser.signIn(email, password)
    const [set] = signedIn.headers.getSetCookie()
    expect(set).toMatch(/^stead-session=stead-session_[\w-]{64}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/)
    const me = await browser.call('GET', '/v1/whoami')
    expect(me.body).toMatchObject({
      principal: { type: 'user', displayName: 'Somebody' },
      csrfToken: browser.csrfToken,
    })
    expect((await browser.call('GET', '/v1/me/sessions')).body.total).toBe(2)
    const kept = browser.cookie!
    expect((await browser.call('DELETE', '/v1/me/sessions/current')).status).toBe(202)
    expect(browser.cookie).toBeUndefined()
    browser.cookie = kept
    expect((await browser.call('GET', '/v1/whoami')).status).toBe(401)
  })

  test('a change needs the token that goes with the cookie, and a page of ours', async () => {
    const { path } = await tenant()
    const { browser } = await person(path, 'org-admin')
    const change = (headers: Record<string, string>) =>
      browser.call('PATCH', path, { body: { displayName: 'x' }, headers })
    expect((await change({ 'stead-csrf': 'guess' })).body).toMatchObject({ code: 'forbidden' })
    expect((await change({ 'stead-csrf': '' })).status).toBe(403)
    expect((await change({ origin: 'https://evil.example' })).status).toBe(403)
    expect((await change({ origin: 'null' })).status).toBe(403)
    expect((await change({ 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await change({})).status).toBe(200)
  })

  test('a session ends by itself after half a day', async () => {
    const { path } = await tenant()
    const { browser } = await person(path, 'reader')
    house.pass(hours(13))
    expect((await browser.call('GET', '/v1/whoami')).body).toMatchObject({ code: 'unauthenticated' })
  })

  test('a wrong password and an unknown email are answered alike', async () => {
    const { path } = await tenant()
    const { email } = await person(path, 'reader')
    const stranger = new Browser(house)
    const wrong = await stranger.signIn(email, 'not the password')
    const unknown = await stranger.signIn('nobody@example.com', 'not the password')
    expect([wrong.status, unknown.status]).toEqual([401, 401])
    expect(wrong.body.detail).toBe(unknown.body.detail)
  })
})

describe('people', () => {
  test('change their password, which ends their other sessions', async () => {
    const { path } = await tenant()
    const { email, browser } = await person(path, 'reader')
    const elsewhere = new Browser(house)
    await elsewhere.signIn(email, password)
    const change = (current: string) =>
      browser.call('POST', '/v1/me/password', { body: { current, new: 'another fine password' } })
    expect((await change('wrong')).status).toBe(403)
    expect((await change(password)).status).toBe(200)
    expect((await browser.call('GET', '/v1/whoami')).status).toBe(200)
    expect((await elsewhere.call('GET', '/v1/whoami')).status).toBe(401)
    expect((await elsewhere.signIn(email, password)).status).toBe(401)
    expect((await elsewhere.signIn(email, 'another fine password')).status).toBe(201)
  })

  test('get a new password from the platform, not from those who run an organization', async () => {
    const { path, name } = await tenant()
    const { id, email, browser } = await person(path, 'reader')
    const boss = await house.account(name, 'boss', { role: 'org-admin' })
    await house.must(403, 'POST', `/v1/users/${id}/password-reset`, { token: boss.token, body: {} })
    const { token } = await house.must(201, 'POST', `/v1/users/${id}/password-reset`, { body: {} })
    expect((await accept(token, { password: 'a third fine password' })).status).toBe(200)
    expect((await browser.call('GET', '/v1/whoami')).status).toBe(401)
    expect((await browser.signIn(email, 'a third fine password')).status).toBe(201)
    expect((await accept(token)).status).toBe(404)
  })

  test('make tokens for themselves when signed in, which end with them', async () => {
    const { path, shop } = await tenant()
    const { id, browser } = await person(path, 'reader')
    const { body } = await browser.call('POST', '/v1/me/tokens', { body: { displayName: 'laptop' } })
    await house.must(200, 'GET', shop, { token: body.token })
    await house.must(403, 'POST', '/v1/me/tokens', { token: body.token, body: {} })
    const other = await person(path, 'reader')
    expect((await other.browser.call('DELETE', `/v1/me/tokens/${body.metadata.id}`)).status).toBe(404)
    expect((await browser.call('GET', '/v1/me/tokens')).body.items).toMatchObject([
      { metadata: { displayName: 'laptop' } },
    ])
    await house.must(202, 'DELETE', `/v1/users/${id}`)
    await house.must(401, 'GET', shop, { token: body.token })
    await house.gone(`/v1/users/${id}`)
    expect(house.engine.cache.platform().list({ kind: 'password', owner: { kind: 'user', id } }).total).toBe(0)
  })

  test('programs do not make tokens for themselves', async () => {
    const { name } = await tenant()
    const ci = await house.account(name, 'ci')
    expect((await house.must(403, 'POST', '/v1/me/tokens', { token: ci.token, body: {} })).detail).toContain(
      'for people',
    )
  })

  test('are seen only by organizations in which they hold something, and can be put out of those alone', async () => {
    const [first, second] = [await tenant(), await tenant()]
    const { id, email, browser } = await person(first.path, 'reader')
    const boss = await house.account(second.name, 'boss', { role: 'org-admin' })
    const seen = (what: string) => house.call('GET', `${second.path}/users/${what}`, { token: boss.token })
    expect([(await seen(id)).status, (await seen(email)).status]).toEqual([404, 404])
    const grant = { token: boss.token, body: { principal: email, role: 'reader' } }
    await house.must(404, 'POST', `${second.path}/grants`, grant)
    await house.must(201, 'POST', `${second.path}/grants`, { body: { principal: email, role: 'reader' } })
    expect((await seen(email)).status).toBe(200)
    await house.must(202, 'DELETE', `${second.path}/users/${email}`, { token: boss.token })
    expect((await browser.call('GET', second.path)).status).toBe(404)
    expect((await browser.call('GET', first.path)).status).toBe(200)
  })

  test('lose what they have open when they are disabled', async () => {
    const { path, shop } = await tenant()
    const { id, browser } = await person(path, 'reader')
    const client = await EventClient.open('', `${house.url}${shop}/watch`, {
      headers: { authorization: '', cookie: browser.cookie! },
    })
    expect(client.status).toBe(200)
    await house.must(200, 'PATCH', `/v1/users/${id}`, { body: { disabled: true } })
    expect((await client.until(({ event }) => event === 'end'))?.data).toMatchObject({ reason: 'rights_withdrawn' })
    expect((await browser.call('GET', '/v1/whoami')).status).toBe(401)
    await house.must(200, 'PATCH', `/v1/users/${id}`, { body: { disabled: false } })
    expect((await browser.call('GET', '/v1/whoami')).status).toBe(200)
  })

  test('free their email when they are gone', async () => {
    const { path } = await tenant()
    const { id, email } = await person(path, 'reader')
    await house.must(202, 'DELETE', `/v1/users/${email}`)
    await house.gone(`/v1/users/${id}`)
    const { body } = await invite(path, { email, role: 'reader' })
    expect((await accept(body.token)).status).toBe(201)
  })
})
