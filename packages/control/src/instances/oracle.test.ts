import { changeSet } from '@stead/engine'
import { millis } from '@stead/world'
import { describe, expect, test } from 'vitest'
import { Network } from '../networks/model.ts'
import { secretKey } from '../regions/tests/region-house.ts'
import { instances } from './model.ts'
import { InstanceHouse, machine, services } from './tests/house.ts'

const machinePath = '/spec/source/machine'
type FieldError = { path: string }
const pathsOf = ({ errors = [] }: { errors?: FieldError[] }) => errors.map(({ path }) => path)

describe('names', () => {
  test('are taken once, whatever the race, and a name that is taken costs nothing', async () => {
    const house = await InstanceHouse.open()
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => house.call('POST', '', { body: { name: 'web-1', spec: services() } })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(409)])
    expect(answers.find(({ status }) => status === 409)!.body).toMatchObject({
      code: 'name_taken',
      errors: [{ path: '/name' }],
    })
    expect((await house.used()).instances).toBe(1)
  })

  test('are told before quotas are, and never change', async () => {
    const house = await InstanceHouse.open()
    await house.create('web-1')
    await house.limit({ instances: 1 })
    expect((await house.must(409, 'POST', '', { body: { name: 'web-1', spec: services() } })).code).toBe('name_taken')
    expect((await house.must(422, 'PATCH', '/web-1', { body: { name: 'web-2' } })).code).toBe('immutable')
  })

  test('are the network’s own: the same is free on another, and means one only with its network', async () => {
    const house = await InstanceHouse.open()
    for (const [name, cidr] of [
      ['n1', '10.20.0.0/24'],
      ['n2', '10.21.0.0/24'],
    ])
      await house.house.must(201, 'POST', '/v1/projects/acme%2Fshop/networks', {
        body: { name, spec: { region: 'sim', cidr } },
      })
    const made = await house.create('vm', machine({ network: 'n1' }))
    await house.create('vm', machine({ network: 'n2' }))
    expect((await house.call('POST', '', { body: { name: 'vm', spec: machine({ network: 'n1' }) } })).body.code).toBe(
      'name_taken',
    )
    expect((await house.must(409, 'GET', '/vm')).code).toBe('ambiguous_name')
    expect((await house.must(200, 'GET', '/n1%2Fvm')).metadata.id).toBe(made.metadata.id)
    await house.until(made.metadata.id, 'running')
    expect((await house.must(200, 'GET', '?network=n2')).items).toMatchObject([{ metadata: { name: 'vm' } }])
  })
})

test('a machine is launched once its network is up, and not into one that is still being made', async () => {
  const house = await InstanceHouse.open({ profile: { build: millis(300) } })
  await house.house.must(201, 'POST', '/v1/projects/acme%2Fshop/networks', {
    body: { name: 'n1', spec: { region: 'sim', cidr: '10.20.0.0/24' } },
  })
  await house.create('vm', machine({ network: 'n1' }))
  await house.must(200, 'GET', '/vm/wait?phase=running,failed&timeout=20s')
  expect(await house.events('vm')).not.toContain('Failed')
})

test('what does not fit is refused with the fields that do not, and nothing is charged', async () => {
  const house = await InstanceHouse.open()
  const shop = '/v1/projects/acme%2Fshop'
  const network = (name: string, cidr: string) =>
    house.house.must(201, 'POST', `${shop}/networks`, { body: { name, spec: { region: 'sim', cidr } } })
  await network('n1', '10.20.0.0/24')
  await network('n2', '10.21.0.0/24')
  await house.house.must(201, 'POST', `${shop}/security-groups`, {
    body: { name: 'web', spec: { network: 'n2', rules: [] } },
  })
  await house.house.must(201, 'POST', `${shop}/ssh-authorities`, { body: { name: 'ours', spec: { managed: true } } })
  await house.house.must(201, 'POST', '/v1/regions', {
    body: { name: 'far', spec: { provider: 'simulated', credentials: { key: secretKey } } },
  })
  const upload = { sizeBytes: 1, sha256: '0'.repeat(64) }
  await house.house.must(201, 'POST', `${shop}/images`, {
    body: { name: 'elsewhere', spec: { region: 'far', source: { upload } } },
  })
  const refused: [number, object, string[]][] = [
    [422, machine({ flavor: 'huge' }), [`${machinePath}/flavor`]],
    [404, machine({ image: 'nothing' }), []],
    [422, machine({ diskGiB: 1 }), [`${machinePath}/diskGiB`]],
    [404, machine({ network: 'nowhere' }), []],
    [404, machine({ network: 'n1', securityGroups: ['nobody'] }), []],
    [
      422,
      machine({ network: 'n1', securityGroups: ['web'] }),
      [`${machinePath}/securityGroups`, `${machinePath}/network`],
    ],
    [404, machine({ sshAuthority: 'nobody' }), []],
    [
      422,
      machine({ sshAuthority: 'ours', userData: 'not cloud-init' }),
      [`${machinePath}/userData`, `${machinePath}/sshAuthority`],
    ],
    [422, machine({ image: 'elsewhere' }), [`${machinePath}/image`, '/spec/region']],
    [422, services({ image: 'elsewhere' }), ['/spec/source/services/services/web/image', '/spec/region']],
    [422, machine({ userData: 'x'.repeat(65_537) }), [`${machinePath}/userData`]],
    [422, machine({ userDataBase64: 'eHh4'.repeat(21_846) }), [`${machinePath}/userDataBase64`]],
    [422, machine({ userData: { sealed: 'abc', sizeBytes: 3 } }), [`${machinePath}/userData`]],
    [422, machine({ allowedSourceAddresses: ['10.0.0.0'] }), [`${machinePath}/allowedSourceAddresses/0`]],
    [422, { source: {} }, ['/spec/source']],
    [422, { ...services(), ttl: '1h', deletionProtection: true }, ['/spec/ttl', '/spec/deletionProtection']],
    [404, { ...services(), region: 'nowhere' }, []],
    [400, { source: { helm: { chart: 'x' } } }, ['/spec/source/helm']],
  ]
  for (const [status, spec, paths] of refused) {
    const answer = await house.call('POST', '', { body: { name: 'x', spec } })
    expect({ status: answer.status, paths: pathsOf(answer.body) }).toEqual({ status, paths })
  }
  const labelled = await house.call('POST', '', { body: { name: 'x', labels: { 'stead.a': 'b' }, spec: services() } })
  expect({ status: labelled.status, paths: pathsOf(labelled.body) }).toEqual({
    status: 422,
    paths: ['/labels/stead.a'],
  })
  expect(await house.used()).toEqual({ networks: 2, images: 1 })
})

test('nothing of another tenant can be attached, or be seen to exist', async () => {
  const house = await InstanceHouse.open()
  const made = async (project: string, noun: string, spec: object) =>
    (await house.house.must(201, 'POST', `/v1/projects/${project}%2Fshop/${noun}`, { body: { name: 'one', spec } }))
      .metadata.id as string
  const network = { region: 'sim', cidr: '10.9.0.0/24' }
  const theirs = await made('globex', 'networks', network)
  const group = await made('globex', 'security-groups', { network: theirs, rules: [] })
  const authority = await made('globex', 'ssh-authorities', { managed: true })
  const ours = await made('acme', 'networks', network)
  const answered = async (part: object) => {
    const { status, body } = await house.call('POST', '', { body: { name: 'x', spec: machine(part) } })
    return { status, code: body.code, detail: body.detail }
  }
  /** As often as it is named, an id of somebody else reads like one of nobody. */
  const alike = async (part: (id: string) => object, id: string) => {
    const nobodys = id.replace(/.{8}$/, '00000000')
    const { detail, ...answer } = await answered(part(id))
    expect(answer).toEqual({ status: 404, code: 'not_found' })
    expect(detail.replaceAll(id, nobodys)).toBe((await answered(part(nobodys))).detail)
  }
  await alike(id => ({ network: id }), theirs)
  await alike(id => ({ network: ours, securityGroups: [id] }), group)
  await alike(id => ({ sshAuthority: id }), authority)
  expect((await house.used()).instances).toBeUndefined()
  const { metadata } = await house.create('web-1')
  await house.house.must(404, 'GET', `/v1/projects/globex%2Fshop/instances/${metadata.id}`)
})

test('at the limit exactly as many are made as the limit says; over it, the answer says by how much', async () => {
  const house = await InstanceHouse.open()
  await house.limit({ instances: 3 })
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => house.call('POST', '', { body: { name: `w${n}`, spec: services() } })),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, ...Array<number>(5).fill(403)])
  expect(answers.find(({ status }) => status === 403)!.body).toMatchObject({
    code: 'quota_exceeded',
    kind: 'instances',
    limit: 3,
    used: 3,
    asked: 1,
  })
  const made = answers.find(({ status }) => status === 201)!.body.metadata.name
  await house.must(202, 'DELETE', `/${made}`)
  await house.gone(made)
  await house.create('again')
})

test('the same idempotency key is the same instance and the same operation', async () => {
  const house = await InstanceHouse.open()
  const body = { name: 'web-1', spec: services() }
  const headers = { 'idempotency-key': 'k1' }
  const [first, second] = await Promise.all([1, 2].map(() => house.must(201, 'POST', '', { body, headers })))
  expect(second).toEqual(first)
  await house.must(422, 'POST', '', { body: { ...body, name: 'web-2' }, headers })
  const { items } = await house.must(200, 'GET', '/web-1/operations')
  expect(items).toHaveLength(1)
})

test('user data and who may read it back', async () => {
  const house = await InstanceHouse.open()
  const userData = '#cloud-config\npassword: hunter2-in-user-data\n'
  const made = await house.create('vm-1', machine({ userData }))
  const placeholder = made.spec.source.machine.userData
  expect(JSON.stringify(made)).not.toContain('hunter2')
  const reader = await house.house.account('acme', 'looker', { role: 'reader', project: 'shop' })
  await house.must(403, 'GET', '/vm-1/user-data', { token: reader.token })
  const { userDataBase64 } = await house.must(200, 'GET', '/vm-1/user-data')
  expect(Buffer.from(userDataBase64, 'base64').toString()).toBe(userData)
  await house.until('vm-1', 'running')
  const before = await house.settled('vm-1')
  const same = { spec: { source: { machine: { userData: placeholder } } } }
  expect((await house.must(202, 'PATCH', '/vm-1', { body: same })).metadata.generation).toBe(before.metadata.generation)
  const again = { spec: { source: { machine: { userData } } } }
  expect((await house.must(202, 'PATCH', '/vm-1', { body: again })).metadata.generation).toBe(
    before.metadata.generation,
  )
  const other = { spec: { source: { machine: { userData: '#!/bin/sh\n' } } } }
  expect(await house.must(200, 'POST', '/vm-1/plan', { body: other })).toMatchObject({ effect: 'replace' })
})

test('a retired image does not stand in the way of a label', async () => {
  const house = await InstanceHouse.open()
  await house.running('vm-1', machine())
  await house.house.must(200, 'PATCH', '/v1/regions/sim', {
    body: { spec: { images: { minimal: { hidden: true } }, flavors: { small: { hidden: true } } } },
  })
  await house.must(404, 'POST', '', { body: { name: 'vm-2', spec: machine() } })
  await house.must(202, 'PATCH', '/vm-1', { body: { labels: { tier: 'web' } } })
  expect((await house.settled('vm-1')).metadata.labels).toEqual({ tier: 'web' })
  expect([...house.cloud.account().servers][0]!.tags['stead.label.tier']).toBe('web')
})

test('lists are filtered by phase, label, region and provider', async () => {
  const house = await InstanceHouse.open()
  await house.running('on')
  await house.must(201, 'POST', '', {
    body: { name: 'off', labels: { tier: 'web' }, spec: { ...services(), power: 'off' } },
  })
  await house.until('off', 'stopped')
  const names = async (query: string) =>
    (await house.must(200, 'GET', `?${query}`)).items.map(
      ({ metadata }: { metadata: { name: string } }) => metadata.name,
    )
  expect(await names('phase=running')).toEqual(['on'])
  expect(await names('phase=running,stopped')).toEqual(['on', 'off'])
  expect(await names('labels=tier=web')).toEqual(['off'])
  expect(await names('region=sim&provider=simulated')).toEqual(['on', 'off'])
  expect(await names('provider=other')).toEqual([])
})

test('a region that is being drained takes nothing new', async () => {
  const house = await InstanceHouse.open()
  await house.house.must(200, 'PATCH', '/v1/regions/sim', { body: { spec: { mode: 'draining' } } })
  expect((await house.must(409, 'POST', '', { body: { name: 'x', spec: services() } })).code).toBe('invalid_state')
})

test('what is protected from deletion is ended by no cascade, and is named', async () => {
  const house = await InstanceHouse.open()
  const networks = '/v1/projects/acme%2Fshop/networks'
  await house.house.must(201, 'POST', networks, { body: { name: 'n1', spec: { region: 'sim', cidr: '10.20.0.0/24' } } })
  await house.running('vm-1', { ...machine({ network: 'n1' }), deletionProtection: true })
  const blockedBy = [{ kind: 'instance', name: 'vm-1' }]
  for (const path of [`${networks}/n1`, '/v1/projects/acme%2Fshop', '/v1/organizations/acme'])
    expect(await house.house.must(409, 'DELETE', `${path}?cascade=true`)).toMatchObject({ code: 'in_use', blockedBy })
  await house.must(202, 'PATCH', '/vm-1', { body: { spec: { deletionProtection: false } } })
  await house.house.must(202, 'DELETE', `${networks}/n1?cascade=true`)
  await house.house.gone(`${networks}/n1`)
})

test('what is protected after a cascade was accepted is left, and holds it up until it is not', async () => {
  const house = await InstanceHouse.open()
  const networks = '/v1/projects/acme%2Fshop/networks'
  const { metadata } = await house.house.must(201, 'POST', networks, {
    body: { name: 'n1', spec: { region: 'sim', cidr: '10.20.0.0/24' } },
  })
  const made = await house.running('vm-1', machine({ network: 'n1' }))
  await house.running('vm-2', machine({ network: 'n1' }))
  await house.settled('vm-1')
  const { engine, world } = house.house
  const network = engine.cache.platform().get<Network>(Network.kind, metadata.id)!
  const instance = engine.cache.platform().get(instances, made.metadata.id)!
  // Both in one: as if it had been protected just before its turn came.
  await engine.commit(
    changeSet(world)
      .update(network, { deletedAt: world.now(), status: { ...network.status, cascade: true } })
      .update(instance, { spec: { ...instance.spec, deletionProtection: true } }),
  )
  await house.gone('vm-2')
  const conditions = async () => (await house.house.must(200, 'GET', `${networks}/n1`)).status.conditions
  await expect
    .poll(conditions)
    .toMatchObject([{ reason: 'Protected', message: 'still has 1 instance protected from deletion' }])
  expect((await house.get('vm-1')).metadata.deletedAt).toBeNull()
  await house.must(202, 'PATCH', '/vm-1', { body: { spec: { deletionProtection: false } } })
  await house.house.gone(`${networks}/n1`)
})

test('a network and a project end with what is attached to them, and say what is in the way', async () => {
  const house = await InstanceHouse.open()
  const networks = '/v1/projects/acme%2Fshop/networks'
  await house.house.must(201, 'POST', networks, { body: { name: 'n1', spec: { region: 'sim', cidr: '10.20.0.0/24' } } })
  await house.running('vm-1', machine({ network: 'n1' }))
  await house.running('web-1')
  const refused = await house.house.must(409, 'DELETE', `${networks}/n1`)
  expect(refused).toMatchObject({ code: 'in_use', blockedBy: [{ kind: 'instance', name: 'vm-1' }] })
  await house.house.must(202, 'DELETE', `${networks}/n1?cascade=true`)
  await house.gone('vm-1')
  await house.house.gone(`${networks}/n1`)
  expect((await house.get('web-1')).status.phase).toBe('running')
  expect(await house.house.must(409, 'DELETE', '/v1/regions/sim')).toMatchObject({ code: 'in_use' })
  await house.house.must(202, 'DELETE', '/v1/projects/acme%2Fshop?cascade=true')
  await house.house.gone('/v1/projects/acme%2Fshop')
  expect(house.backends()).toEqual([])
})
