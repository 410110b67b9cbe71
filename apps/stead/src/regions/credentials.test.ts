import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@stead/testing'
import { expect, test } from 'vitest'
import { Program } from '../tests/program.ts'

const secrets = ['first-key-nobody-may-see', 'second-key-nobody-may-see', 'misplaced-key-nobody-may-see']
/** As it is, and as it would look in a dump of bytes or in a header. */
const spellings = secrets.flatMap(text =>
  (['utf8', 'base64', 'hex'] as const).map(encoding => Buffer.from(text).toString(encoding).replace(/=+$/, '')),
)
const seen = (text: string) => spellings.filter(spelling => text.includes(spelling))

const everyFile = (directory: string) =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => readFileSync(join(entry.parentPath, entry.name)).toString('latin1'))
    .join('\n')

test('credentials of a region are nowhere in the open: answers, log, audit, events, store or backup', async () => {
  const home = temporaryDirectory()
  const data = join(home, 'data')
  const args = ['serve', '--listen', '127.0.0.1:0', '--data', data, '--simulated-region', '--log-level', 'trace']
  const program = new Program(args)
  const url = await program.listening()
  const token = readFileSync(join(data, 'admin.token'), 'utf8').trim()
  const answers: string[] = []
  const call = async (status: number, method: string, path: string, body?: object) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body && { 'content-type': 'application/json', 'idempotency-key': `${method} ${path}` }),
    }
    const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const text = await response.text()
    answers.push(text)
    expect([response.status, text]).toEqual([status, expect.anything()])
    return text
  }
  const region = (key: unknown) => ({ name: 'east', spec: { provider: 'simulated', credentials: { key } } })
  await call(201, 'POST', '/v1/regions', region(secrets[0]))
  await call(200, 'PATCH', '/v1/regions/east', { spec: { credentials: { key: secrets[1] } } })
  await call(422, 'PATCH', '/v1/regions/east', { spec: { credentials: { kei: secrets[2] } } })
  await call(422, 'POST', '/v1/regions', { ...region([secrets[2]]), name: 'west' })
  // The cloud does not know the key: its refusal is logged, and told.
  await expect
    .poll(async () => JSON.parse(await call(200, 'GET', '/v1/regions/east')).status.reason)
    .toBe('the backend does not accept the credentials of this region')
  const reads = [
    '/v1/regions',
    '/v1/regions/east',
    '/v1/regions/east/events',
    '/v1/system/audit',
    '/openapi.json',
    '/metrics',
  ]
  for (const path of reads) await call(200, 'GET', path)
  const backup = new Program(['backup', '--data', data, join(home, 'copy')])
  expect(await backup.exited).toMatchObject({ code: 0 })
  program.process.kill('SIGTERM')
  await program.exited
  const kept = everyFile(home)
  // What is not secret is found there: the search can fail.
  expect(kept).toContain('east')
  expect(program.stderr).toContain('Auth')
  for (const where of [answers.join(), program.stdout + program.stderr, kept]) expect(seen(where)).toEqual([])
}, 60_000)
