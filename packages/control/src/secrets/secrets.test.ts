import { expect, test } from 'vitest'
import { IdentityHouse } from '../identity/tests/house.ts'
import type { Secret } from './model.ts'

const shop = '/v1/projects/acme%2Fshop'
const path = `${shop}/secrets/db`
const values = ['hunter2-first-value', 'hunter2-second-value', 'hunter2-third-value'] as const

async function open() {
  const house = await IdentityHouse.openWithAcme()
  const create = (body: object, status = 201) => house.must(status, 'POST', `${shop}/secrets`, { body })
  const write = (body: object, status = 201) => house.must(status, 'POST', `${path}/versions`, { body })
  const reveal = async (version: number | string, status = 200) =>
    (await house.must(status, 'GET', `${path}/versions/${version}/value`)).value
  const versions = async (): Promise<readonly number[]> =>
    (await house.must(200, 'GET', `${path}/versions`)).items.map(({ version }: { version: number }) => version)
  const stored = (id: string) => house.engine.cache.platform().get<Secret>('secret', id)!
  return { house, create, write, reveal, versions, stored }
}

test('a value is written, told of and never shown; each write is a version, and one goes back by writing', async () => {
  const { house, create, write, reveal, versions } = await open()
  const made = await create({ name: 'db', labels: { of: 'db' }, spec: { value: values[0] } })
  expect(made.spec).toEqual({ type: 'opaque', keepVersions: 10 })
  expect(made.status).toMatchObject({ version: 1, sizeBytes: 19, isText: true, versions: 1 })
  expect((await write({ value: values[1] })).status).toMatchObject({ version: 2, versions: 2 })
  expect(await versions()).toEqual([2, 1])
  expect([await reveal(1), await reveal('newest')]).toEqual([values[0], values[1]])
  expect((await write({ from: 1 })).status).toMatchObject({ version: 3, sizeBytes: 19 })
  expect(await reveal('newest')).toBe(values[0])
  const { items } = await house.must(200, 'GET', `${path}/versions`)
  expect(Object.keys(items[0]).sort()).toEqual(['createdAt', 'createdBy', 'sizeBytes', 'version'])
  await house.must(404, 'GET', `${path}/versions/9/value`)
})

test('a version goes by hand or when there are too many, with its content, unless another has the same', async () => {
  const { house, create, write, reveal, versions, stored } = await open()
  const { metadata } = await create({ name: 'db', spec: { value: values[0], keepVersions: 3 } })
  await write({ value: values[1] })
  await write({ from: 1 })
  const [first, second] = stored(metadata.id).status.versions
  const blob = (content: { sealed: string }) => house.store.blob({ kind: 'secret', id: metadata.id }, content.sealed)
  expect(await house.must(409, 'DELETE', `${path}/versions/3`)).toMatchObject({ code: 'invalid_state' })
  await house.must(202, 'DELETE', `${path}/versions/1`)
  expect(await reveal(3)).toBe(values[0])
  await house.must(404, 'DELETE', `${path}/versions/1`)
  await write({ value: values[2] })
  expect(await blob(second!.content)).toBeDefined()
  await write({ value: values[2] })
  expect(await versions()).toEqual([5, 4, 3])
  expect(await blob(second!.content)).toBeUndefined()
  expect(await blob(first!.content)).toBeDefined()
  await house.must(202, 'DELETE', path)
  await house.gone(path)
  expect(await blob(first!.content)).toBeUndefined()
  await create({ name: 'db', spec: { value: values[0] } })
})

test('a value is in no object, event, audit entry or error; revealing it needs its own permission and is told', async () => {
  const { house, create, write } = await open()
  const developer = await house.account('acme', 'dev', { role: 'developer', project: 'shop' })
  await create({ name: 'db', spec: { value: values[0] } })
  await house.must(201, 'POST', `${path}/versions`, { body: { value: values[1] }, token: developer.token })
  await house.must(403, 'GET', `${path}/versions/1/value`, { token: developer.token })
  await house.must(200, 'GET', `${path}/versions/2/value`)
  const refused = [
    await create({ name: 'db', spec: { value: values[2] } }, 409),
    await create({ name: 'other', spec: { value: values[2], valueBase64: values[2] } }, 422),
    await create({ name: 'other', spec: { valueBase64: values[2] } }, 422),
    await house.must(422, 'PATCH', path, { body: { spec: { value: values[2] } } }),
    await write({ from: 1, value: values[2] }, 422),
  ]
  // Denials and reads are written after their answers.
  await expect
    .poll(async () => {
      const { items } = await house.must(200, 'GET', '/v1/organizations/acme/audit?action=secrets:reveal')
      return items.map(({ result, actor }: { result: string; actor: { name: string } }) => [result, actor.name])
    })
    .toEqual([
      ['done', 'admin'],
      ['denied', 'dev'],
    ])
  const told = JSON.stringify([
    ...refused,
    await house.must(200, 'GET', path),
    await house.must(200, 'GET', `${path}/versions`),
    await house.must(200, 'GET', `${path}/events`),
    await house.must(200, 'GET', '/v1/organizations/acme/audit?limit=100'),
    house.engine.cache.platform().list({ kind: 'secret' }).items,
  ])
  expect(told).toContain('VersionWritten')
  for (const value of values) {
    expect(told).not.toContain(value)
    expect(told).not.toContain(Buffer.from(value).toString('base64').slice(0, 20))
  }
})

test('reading that there are secrets is not told as if one had been shown', async () => {
  const { house, create } = await open()
  await create({ name: 'db', spec: { value: values[0] } })
  await house.must(200, 'GET', path)
  await house.must(200, 'GET', `${path}/versions/1/value`)
  const actions = async () => {
    const { items } = await house.must(200, 'GET', '/v1/organizations/acme/audit')
    return items
      .map(({ action }: { action: string }) => action)
      .filter((action: string) => action.startsWith('secrets'))
  }
  await expect.poll(actions).toEqual(['secrets:reveal', 'secrets:create'])
})

test('bytes are bytes, and what was text stays text', async () => {
  const { house, create, write } = await open()
  const bytes = Buffer.from([0, 255, 1, 254])
  const made = await create({ name: 'db', spec: { valueBase64: bytes.toString('base64') } })
  expect(made.status).toMatchObject({ isText: false, sizeBytes: 4 })
  const shown = await house.must(200, 'GET', `${path}/versions/newest/value`)
  expect(shown).toEqual({ version: 1, valueBase64: bytes.toString('base64') })
  await house.must(202, 'DELETE', path)
  await house.gone(path)
  await create({ name: 'db', spec: { value: 'text' } })
  expect((await write({ valueBase64: bytes.toString('base64') }, 422)).errors[0].path).toBe('/value')
})

test.each([
  [{}, '/spec/value'],
  [{ value: '' }, '/spec/value'],
  [{ value: 'x'.repeat(65_537) }, '/spec/value'],
  [{ valueBase64: 'no base64!' }, '/spec/valueBase64'],
  [{ value: 'x', registry: { server: 'r', username: 'u' } }, '/spec/registry'],
  [{ value: 'x', type: 'registry' }, '/spec/registry'],
  [{ valueBase64: 'AAA=', type: 'registry', registry: { server: 'r', username: 'u' } }, '/spec/value'],
])('what cannot be kept is refused, with the field: %#', async (spec, where) => {
  const { create } = await open()
  const refused = await create({ name: 'db', spec }, 422)
  expect(refused).toMatchObject({ code: 'invalid', errors: [{ path: where }] })
})

test('who keeps a registry and as whom is told, and its type and server never change', async () => {
  const { house, create } = await open()
  const registry = { server: 'registry.example.com:5000', username: 'ci' }
  const made = await create({ name: 'db', spec: { type: 'registry', registry, value: values[0] } })
  expect(made.spec).toEqual({ type: 'registry', registry, keepVersions: 10 })
  await house.must(200, 'PATCH', path, { body: { spec: { registry: { username: 'cd' }, keepVersions: 2 } } })
  await house.must(422, 'PATCH', path, { body: { spec: { type: 'opaque' } } })
  await house.must(422, 'PATCH', path, { body: { spec: { registry: { server: 'elsewhere' } } } })
})
