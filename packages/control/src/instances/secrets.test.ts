import type { ServiceLaunch, ServicesLaunch } from '@stead/provider-kit'
import { describe, expect, test } from 'vitest'
import { InstanceHouse, services } from './tests/house.ts'

const secretsPath = '/v1/projects/acme%2Fshop/secrets'
const [first, second] = ['hunter2-first-value', 'hunter2-second-value']

async function open() {
  const house = await InstanceHouse.open()
  const ask = house.house
  const make = (name: string, spec: object = { value: first }) =>
    ask.must(201, 'POST', secretsPath, { body: { name, spec } })
  const rotate = (name: string, value = second) =>
    ask.must(201, 'POST', `${secretsPath}/${name}/versions`, { body: { value } })
  /** The service as its backend has it now. */
  const launched = (): ServiceLaunch => {
    const { source } = house.cloud.account().server(house.backends()[0]!.id).spec
    return (source as ServicesLaunch).services.web!
  }
  const text = (path: string) => Buffer.from(launched().files.find(file => file.path === path)!.content).toString()
  const conditions = async () => (await house.get('web-1')).status.conditions.map(({ type }: { type: string }) => type)
  const refused = async (web: object, status = 422) =>
    (await house.must(status, 'POST', '', { body: { name: 'web-1', spec: services(web) } })).errors?.map(
      ({ path }: { path: string }) => path.replace('/spec/source/services/services/web', ''),
    )
  return { house, ask, make, rotate, launched, text, conditions, refused }
}

test('secrets reach what runs in its environment and in files, and nothing else has them', async () => {
  const { house, ask, make, launched, text } = await open()
  const { metadata } = await make('db')
  await make('hub', { type: 'registry', registry: { server: 'r.example.com', username: 'ci' }, value: second })
  const secrets = [
    { name: 'db', env: 'DB_PASSWORD' },
    { name: 'db', file: '/run/secrets/db', mode: '0440' },
  ]
  const made = await house.running(
    'web-1',
    services({ secrets, pullSecret: 'hub', files: { '/a': { content: 'x', mode: '644' } } }),
  )
  expect(made.spec.source.services.services.web.secrets[0]).toEqual({ name: metadata.id, env: 'DB_PASSWORD' })
  expect(launched().secretEnv).toEqual({ DB_PASSWORD: first })
  expect(launched().pullSecret).toEqual({ server: 'r.example.com', username: 'ci', password: second })
  expect(launched().files).toMatchObject([
    { path: '/a', secret: false, mode: 0o644 },
    { path: '/run/secrets/db', secret: true, mode: 0o440 },
  ])
  expect(text('/run/secrets/db')).toBe(first)
  const everything = house.house.engine.cache.platform()
  const told = JSON.stringify([
    everything.kinds().map(kind => everything.list({ kind }).items),
    await house.must(200, 'GET', '/web-1/events'),
    await ask.must(200, 'GET', '/v1/organizations/acme/audit?limit=100'),
  ])
  for (const value of [first, second]) expect(told).not.toContain(value)
})

test('a secret that is used stays, and goes with what used it', async () => {
  const { house, ask, make, rotate } = await open()
  await make('db', { value: first, keepVersions: 1 })
  await house.running('web-1', services({ secrets: [{ name: 'db', env: 'PW', version: 1 }] }))
  expect(await ask.must(409, 'DELETE', `${secretsPath}/db`)).toMatchObject({
    code: 'in_use',
    blockedBy: [{ kind: 'instance', name: 'web-1' }],
  })
  expect((await rotate('db')).status.versions, 'one is pinned, one is the newest').toBe(2)
  await ask.must(409, 'DELETE', `${secretsPath}/db/versions/1`)
  const unused = { body: { spec: { source: { services: { services: { web: { secrets: [] } } } } } } }
  await house.must(202, 'PATCH', '/web-1', unused)
  await house.settled('web-1')
  await ask.must(202, 'DELETE', `${secretsPath}/db/versions/1`)
  await ask.must(202, 'DELETE', `${secretsPath}/db`)
  await ask.gone(`${secretsPath}/db`)
})

describe('what cannot be used so is refused', () => {
  test.each([
    [{ secrets: [{ name: 'db' }] }, ['/secrets/0']],
    [{ secrets: [{ name: 'db', env: 'A', file: '/a' }] }, ['/secrets/0']],
    [{ secrets: [{ name: 'db', env: 'A', mode: '0400' }] }, ['/secrets/0/mode']],
    [{ secrets: [{ name: 'db', env: 'A', version: 1, onRotate: 'restart' }] }, ['/secrets/0/onRotate']],
    [{ secrets: [{ name: 'db', env: 'A', onRotate: 'SIGHUP' }] }, ['/secrets/0/onRotate']],
    [{ secrets: [{ name: 'db', env: 'A' }], env: { A: 'x' } }, ['/secrets/0/env']],
    [{ secrets: [{ name: 'db', env: 'PORT_HTTP' }] }, ['/secrets/0/env']],
    [{ secrets: [{ name: 'db', file: '/a' }], files: { '/a': { content: '' } } }, ['/secrets/0/file']],
    [{ secrets: [{ name: 'db', env: 'PW' }], command: ['serve', '--password=$(PW)'] }, ['/command/1']],
    [{ secrets: [{ name: 'db', env: 'A', version: 9 }] }, ['/secrets/0/version']],
    [{ secrets: [{ name: 'bytes', env: 'A' }] }, ['/secrets/0/env']],
    [{ pullSecret: 'db' }, ['/pullSecret']],
  ])('%j', async (web, paths) => {
    const { make, refused } = await open()
    await make('db')
    await make('bytes', { valueBase64: 'AAEC' })
    expect(await refused(web)).toEqual(paths)
  })

  test('what is not there, or of another project, does not exist', async () => {
    const { house, ask, make, refused } = await open()
    await ask.project('acme', 'lab')
    await ask.must(201, 'POST', '/v1/projects/acme%2Flab/secrets', { body: { name: 'db', spec: { value: first } } })
    await refused({ secrets: [{ name: 'db', env: 'A' }] }, 404)
    await make('db')
    await house.create('web-1', services({ secrets: [{ name: 'db', env: 'A' }] }))
  })
})

describe('a new version', () => {
  test('leaves what runs as it is, says so, and is in what is launched next', async () => {
    const { house, make, rotate, launched, conditions } = await open()
    await make('db')
    await house.running('web-1', services({ secrets: [{ name: 'db', env: 'PW' }] }))
    await rotate('db')
    await expect.poll(conditions).toEqual(['SecretsOutdated'])
    expect((await house.get('web-1')).status).toMatchObject({ phase: 'running', ready: true })
    const scaled = await house.must(202, 'POST', '/web-1/scale', { body: { cpuMillis: 500 } })
    await house.ended(scaled.operation.id)
    expect(launched().secretEnv, 'another change does not bring it').toEqual({ PW: first })
    const web = { image: 'other' }
    const body = { spec: { source: { services: { services: { web } } } } }
    const { operation } = await house.must(202, 'PATCH', '/web-1?allow=replace', { body })
    await house.ended(operation.id)
    await expect.poll(() => house.backends().length).toBe(1)
    expect(launched()).toMatchObject({ image: 'other', secretEnv: { PW: second } })
    await expect.poll(conditions).toEqual([])
  })

  test('restarts what asked for that, once', async () => {
    const { house, make, rotate, launched, conditions } = await open()
    await make('db')
    const { metadata } = await house.running(
      'web-1',
      services({ secrets: [{ name: 'db', env: 'PW', onRotate: 'restart' }] }),
    )
    const boots = () => house.cloud.account().server(house.backends()[0]!.id).boots
    const [before, server] = [boots(), house.serversOf(metadata.id)[0]!.id]
    await rotate('db')
    await expect.poll(() => launched().secretEnv).toEqual({ PW: second })
    await house.until('web-1', 'running', '&ready=true')
    expect(boots()).toBe(before + 1)
    expect(house.serversOf(metadata.id).map(({ id }) => id)).toEqual([server])
    expect((await house.events('web-1')).filter(reason => reason === 'SecretsRotated')).toHaveLength(1)
    expect(await conditions()).toEqual([])
  })

  test('is told by a signal to what asked for that, without a restart', async () => {
    const { house, make, rotate, text } = await open()
    await make('db')
    await house.running('web-1', services({ secrets: [{ name: 'db', file: '/run/db', onRotate: 'SIGHUP' }] }))
    const backend = () => house.cloud.account().server(house.backends()[0]!.id)
    const before = backend().boots
    await rotate('db')
    await expect.poll(() => text('/run/db')).toBe(second)
    expect(backend().boots).toBe(before)
    const lines = house.cloud.account().insideOf(backend()).logs.after(0, 100)
    expect(lines.map(({ line }) => line)).toContain('received SIGHUP')
  })

  test('does not touch what is pinned to another', async () => {
    const { house, make, rotate, launched, conditions } = await open()
    await make('db')
    await house.running('web-1', services({ secrets: [{ name: 'db', env: 'PW', version: 1 }] }))
    await rotate('db')
    await house.must(202, 'PATCH', '/web-1', {
      body: { spec: { source: { services: { services: { web: { env: { A: '1' } } } } } } },
    })
    await house.settled('web-1')
    expect(launched()).toMatchObject({ env: { A: '1' }, secretEnv: { PW: first } })
    expect(await conditions()).toEqual([])
  })
})
