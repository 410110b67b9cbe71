import { statSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, testWith } from '@stead/testing'
import { expect, test } from 'vitest'
import { Desk } from '../tests/desk.ts'

const contextsOf = (desk: Desk) => join(desk.directory, 'home', '.config', 'stead', 'contexts.json')

/** One who has no data directory of a Stead here. */
async function stranger() {
  const { stead } = await Desk.withStead()
  return { desk: new Desk(), stead: stead! }
}

test('a token from a file is tried, kept for its owner alone, and used from then on', async () => {
  const { desk, stead } = await stranger()
  expect(await desk.run('ps')).toMatchObject({ code: 22, stderr: expect.stringContaining('not logged in') })
  desk.write('token', `${stead.token}\n`)
  const login = await desk.run('login', stead.url, '--token-file', 'token', '--name', 'here')
  expect(login).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Logged in to .* as admin; this is context here/),
  })
  expect(statSync(contextsOf(desk)).mode & 0o777).toBe(0o600)
  expect(await desk.run('ps')).toMatchObject({ code: 0, stderr: 'there are no instances\n' })
  const { stdout } = await desk.run('contexts', '--json')
  expect(JSON.parse(stdout)).toEqual([{ name: 'here', url: stead.url, project: 'default/default', current: true }])
  expect(stdout).not.toContain(stead.token)
}, 60_000)

test('a token that is not accepted is not kept', async () => {
  const { desk, stead } = await stranger()
  const wrong = desk.begin(['login', stead.url, '--token-file', '-'], { input: 'stead_wrong\n' })
  expect(await wrong.ended).toMatchObject({ code: 22, stderr: expect.stringContaining('log in again') })
  expect(await desk.run('contexts')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('there are no contexts'),
  })
}, 60_000)

test('a token of one Stead is never sent to another', async () => {
  const { desk, stead } = await stranger()
  desk.write('token', stead.token)
  await desk.run('login', stead.url, '--token-file', 'token')
  const elsewhere = `http://127.0.0.1:${await freePort()}`
  expect(await desk.run('ps', '--url', elsewhere)).toMatchObject({
    code: 22,
    stderr: expect.stringContaining(`not logged in to ${elsewhere}`),
  })
}, 60_000)

test('a token that is made is of use until it is revoked', async () => {
  const desk = await Desk.withStead()
  await desk.run('create', 'service-account', 'ci')
  const made = JSON.parse((await desk.run('tokens', 'create', '--account', 'ci', '--json')).stdout)
  const asCi = () => desk.begin(['whoami'], { env: { STEAD_TOKEN: made.token, STEAD_URL: desk.stead!.url } }).ended
  expect(await asCi()).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ci .* by STEAD_TOKEN/) })
  expect((await desk.run('tokens', 'revoke', made.metadata.id, '--account', 'ci')).code).toBe(0)
  expect(await asCi()).toMatchObject({ code: 22 })
}, 60_000)

testWith(
  'python',
  'in a terminal the token is asked for, and not shown',
  async () => {
    const { desk, stead } = await stranger()
    const terminal = desk.terminal(['login', stead.url])
    await terminal.shows(/Token: /)
    terminal.type(`${stead.token}\r`)
    expect(await terminal.exited, terminal.text).toBe(0)
    expect(terminal.text).toContain('Logged in to')
    expect(terminal.text).not.toContain(stead.token)
  },
  60_000,
)
