import { randomBytes } from 'node:crypto'
import { readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@stead/testing'
import { expect, test } from 'vitest'
import { Program } from './tests/program.ts'

const newKey = () => randomBytes(32).toString('base64')

/** `stead serve` on one data directory, until it is stopped. */
function house() {
  const data = join(temporaryDirectory(), 'data')
  const start = (env: NodeJS.ProcessEnv = {}) =>
    new Program(['serve', '--listen', '127.0.0.1:0', '--data', data], { env })
  const serving = async (env?: NodeJS.ProcessEnv) => {
    const program = start(env)
    const url = await program.listening()
    const stop = async () => {
      program.process.kill('SIGTERM')
      expect((await program.exited).code).toBe(0)
    }
    return { url, stop }
  }
  const refused = async (env?: NodeJS.ProcessEnv) => {
    const program = start(env)
    const { code } = await program.exited
    return { code, stderr: program.stderr }
  }
  return { data, serving, refused, keyFile: join(data, 'seal.key') }
}

/** Makes a token twice with one key: the second answer is the first one, which was kept sealed. */
async function makeToken(url: string, data: string, name: string): Promise<string> {
  const headers = {
    authorization: `Bearer ${readFileSync(join(data, 'admin.token'), 'utf8').trim()}`,
    'content-type': 'application/json',
    'idempotency-key': name,
  }
  const accounts = `${url}/v1/organizations/default/service-accounts`
  await fetch(accounts, {
    method: 'POST',
    headers: { ...headers, 'idempotency-key': `${name}-account` },
    body: '{"name":"ci"}',
  })
  const answer = await fetch(`${accounts}/ci/tokens`, { method: 'POST', headers, body: '{"expiresIn":"24h"}' })
  expect(answer.status).toBe(201)
  return ((await answer.json()) as { token: string }).token
}

test('the key is made at the first start, for this user alone, and answers with secrets outlive a restart under it', async () => {
  const { data, serving, keyFile } = house()
  const first = await serving()
  expect(statSync(keyFile).mode & 0o777).toBe(0o600)
  const token = await makeToken(first.url, data, 'k')
  await first.stop()
  const second = await serving()
  expect(await makeToken(second.url, data, 'k')).toBe(token)
  await second.stop()
})

test('without its key, or with another, a store is not served', async () => {
  const { serving, refused, keyFile } = house()
  await (await serving()).stop()
  renameSync(keyFile, `${keyFile}.away`)
  expect(await refused()).toMatchObject({ code: 18, stderr: expect.stringContaining('seal.key is missing') })
  expect(await refused({ STEAD_SEAL_KEY: newKey() })).toMatchObject({ code: 18 })
  const malformed = await refused({ STEAD_SEAL_KEY: 'short' })
  expect(malformed).toMatchObject({ code: 2, stderr: expect.stringContaining('sealKey') })
  expect(malformed.stderr).not.toContain('short')
  renameSync(`${keyFile}.away`, keyFile)
  await (await serving()).stop()
})

test('a new key with the old one beside it is a rotation: what was sealed before is still opened', async () => {
  const { data, serving, refused, keyFile } = house()
  const first = await serving()
  const token = await makeToken(first.url, data, 'k')
  await first.stop()
  const [older, newer] = [readFileSync(keyFile, 'utf8').trim(), newKey()]
  rmSync(keyFile)
  const second = await serving({ STEAD_SEAL_KEY: newer, STEAD_OLDER_SEAL_KEYS: older })
  expect(await makeToken(second.url, data, 'k')).toBe(token)
  await second.stop()
  expect((await refused({ STEAD_SEAL_KEY: older })).code).toBe(18)
})
