import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TestIssuer } from '@stead/control/test-issuer'
import { freePort, temporaryDirectory } from '@stead/testing'
import { expect, onTestFinished, test } from 'vitest'
import { Program } from './tests/program.ts'

const accounts = {
  ada: { groups: ['platform-team'], name: 'Ada', email: 'ada@example.com' },
  robot: { groups: ['platform-team'], name: 'Build robot' },
  eve: { groups: ['strangers'], email: 'eve@example.com' },
}

/** A `stead serve` that trusts a real OIDC provider, as its configuration says. */
async function serving(...more: string[]) {
  const directory = temporaryDirectory()
  const publicUrl = `http://127.0.0.1:${await freePort()}`
  const issuer = await TestIssuer.start(accounts, `${publicUrl}/v1/oidc/corp/callback`)
  onTestFinished(() => issuer.stop())
  const provider = {
    name: 'corp',
    issuer: issuer.url,
    audiences: [issuer.audience],
    clientId: issuer.clientId,
    clientSecret: issuer.clientSecret,
    scopes: ['profile', 'email'],
    rules: [{ claim: 'groups', value: 'platform-team', role: 'platform-admin' }],
  }
  const oidc = join(directory, 'oidc.yaml')
  // JSON is YAML.
  writeFileSync(oidc, JSON.stringify({ providers: [provider] }))
  const address = ['--listen', new URL(publicUrl).host, '--public-url', publicUrl, '--data', join(directory, 'data')]
  const program = new Program(['serve', ...address, '--oidc', oidc, ...more])
  return { issuer, url: await program.listening(), program }
}

const trusting = ['--outgoing-allow', '127.0.0.1/32']

/** What a browser does: goes where it is sent, with the cookies it was given. */
async function signIn(url: string, issuer: TestIssuer, login: string) {
  const sent = await fetch(`${url}/v1/oidc/corp/login?returnTo=/projects`, { redirect: 'manual' })
  expect(sent.status).toBe(302)
  const back = await issuer.signIn(sent.headers.get('location')!, login)
  return fetch(back, { redirect: 'manual', headers: { cookie: cookieOf(sent) } })
}

const cookieOf = (answer: Response) =>
  answer.headers
    .getSetCookie()
    .map(cookie => cookie.split(';', 1)[0])
    .join('; ')

test('a person signs in with the provider of the configuration, and the audit log says who it was', async () => {
  const { issuer, url, program } = await serving(...trusting)
  expect(await (await fetch(`${url}/v1/oidc`)).json()).toEqual({
    items: [{ name: 'corp', login: '/v1/oidc/corp/login' }],
  })
  const answer = await signIn(url, issuer, 'ada')
  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/projects'])
  const ask = async (path: string) => (await fetch(url + path, { headers: { cookie: cookieOf(answer) } })).json()
  const me = (await ask('/v1/whoami')) as { principal: { id: string } }
  expect(me).toMatchObject({ principal: { displayName: 'Ada' }, grants: [{ role: 'platform-admin', on: 'platform' }] })
  const { items } = (await ask(`/v1/system/audit?actor=${me.principal.id}`)) as { items: object[] }
  expect(items).toMatchObject([
    { request: 'GET /v1/oidc/:provider/callback', actor: { name: 'Ada', credential: expect.stringMatching(/^ses_/) } },
    { request: 'OIDC', action: 'users:create' },
  ])
  expect((await signIn(url, issuer, 'eve')).status).toBe(401)
  expect(program.stderr).not.toContain(issuer.clientSecret)
})

test('a program comes in with a bearer token of the provider', async () => {
  const { issuer, url } = await serving(...trusting)
  const whoami = async (token: string) => {
    const answer = await fetch(`${url}/v1/whoami`, { headers: { authorization: `Bearer ${token}` } })
    return { status: answer.status, body: await answer.json() }
  }
  expect(await whoami(await issuer.bearer())).toMatchObject({
    status: 200,
    body: { principal: { displayName: 'Build robot' } },
  })
  expect(await whoami(await issuer.bearer('another-api'))).toMatchObject({ status: 401 })
})

test('a provider on a private address is not asked unless the configuration allows the address', async () => {
  const { url } = await serving()
  const answer = await fetch(`${url}/v1/oidc/corp/login`, { redirect: 'manual' })
  expect([answer.status, await answer.json()]).toMatchObject([503, { code: 'unavailable' }])
})
