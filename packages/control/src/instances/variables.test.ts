// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is written so here is rendered by us
import type { MachineLaunch, ServiceLaunch, ServicesLaunch } from '@stead/provider-kit'
import { expect, test } from 'vitest'
import { InstanceHouse, machine, services } from './tests/house.ts'

const secretsPath = '/v1/projects/acme%2Fshop/secrets'
const [first, second] = ['hunter2-first-value', 'hunter2-second-value']

async function open() {
  const house = await InstanceHouse.open()
  const source = () => house.cloud.account().server(house.backends()[0]!.id).spec.source
  const web = (): ServiceLaunch => (source() as ServicesLaunch).services.web!
  const userData = () => Buffer.from((source() as MachineLaunch).userData!).toString()
  const paths = ({ errors }: { errors: readonly { path: string }[] }) =>
    errors.map(({ path }) => path.replace('/spec/source/services/services/web', '')).sort()
  const patch = (spec: object, query = '', status = 202) =>
    house.must(status, 'PATCH', `/web-1${query}`, { body: { spec } })
  const plan = (spec: object) => house.must(200, 'POST', '/web-1/plan', { body: { spec } })
  return { house, web, userData, paths, patch, plan }
}

const variables = [
  { name: 'greeting', default: 'hello' },
  { name: 'cpus', type: 'int', min: 1, max: 64, default: 2 },
  { name: 'password', type: 'secret' },
  { name: 'dsn', type: 'computed', value: 'db://${project.name}:${var.password}@${region.name}' },
]

test('values are rendered into every text at launch, and secret ones are nowhere else', async () => {
  const { house, web } = await open()
  const spec = {
    ...services({
      command: ['serve', '--cpus=${var.cpus}', '$${HOME}'],
      env: { GREETING: '${var.greeting} from ${instance.name}', DSN: '${var.dsn}' },
      files: { '/etc/conf': { content: 'pw = ${var.password}' }, '/etc/open': { content: '${organization.name}' } },
    }),
    variables,
    variableValues: { cpus: 4, password: first },
  }
  const made = await house.running('web-1', spec)
  expect(web()).toMatchObject({
    command: ['serve', '--cpus=4', '${HOME}'],
    env: { GREETING: 'hello from web-1' },
    secretEnv: { DSN: `db://shop:${first}@sim` },
    files: [
      { path: '/etc/conf', secret: true },
      { path: '/etc/open', secret: false },
    ],
  })
  expect(made.spec.variableValues).toEqual({
    cpus: 4,
    password: { sealed: expect.any(String), sizeBytes: first.length },
  })
  const everything = house.house.engine.cache.platform()
  const told = JSON.stringify([
    everything.kinds().map(kind => everything.list({ kind }).items),
    await house.must(200, 'GET', '/web-1/events'),
    await house.must(200, 'POST', '/web-1/preview', { body: {} }),
    await house.must(200, 'POST', '/web-1/plan', { body: { spec: { variableValues: { password: second } } } }),
    await house.house.must(200, 'GET', '/v1/organizations/acme/audit?limit=100'),
  ])
  for (const value of [first, second]) expect(told).not.toContain(value)
})

test('what was read can be sent back, and what stands for another is refused', async () => {
  const { house, patch, paths } = await open()
  const made = await house.running('web-1', { ...services(), variables, variableValues: { password: first } })
  expect((await patch(made.spec)).operation).toBeUndefined()
  const strange = { password: { ...made.spec.variableValues.password, sealed: 'x' } }
  expect(paths(await patch({ variableValues: strange }, '', 422))).toEqual(['/spec/variableValues/password'])
  const other = [{ name: 'password' }]
  expect(paths(await patch({ variables: other, variableValues: {} }, '', 422))).toContain(
    '/spec/variableValues/password',
  )
})

test('the effect of other values is that of what they change, and a change of nothing is none', async () => {
  const { house, web, patch, plan } = await open()
  const spec = services({ image: 'web:${var.tag}', env: { GREETING: '${var.greeting}', PW: '${var.password}' } })
  const own = [...variables, { name: 'tag', default: '1' }]
  await house.running('web-1', { ...spec, variables: own, variableValues: { password: first } })
  expect(await plan({ variableValues: { cpus: 3 } })).toMatchObject({ effect: 'inPlace' })
  expect(await plan({ variableValues: { greeting: 'bye' } })).toEqual({
    effect: 'restart',
    changes: [{ path: '/spec/variableValues/greeting', to: 'bye', effect: 'restart' }],
    loses: ['localState'],
    keeps: [],
    interrupts: true,
  })
  expect(await plan({ variableValues: { greeting: 'hello' } })).toMatchObject({ effect: 'inPlace' })
  expect(await plan({ variableValues: { password: first } })).toMatchObject({ effect: 'inPlace', changes: [] })
  expect(await plan({ variableValues: { password: second } })).toMatchObject({ effect: 'restart' })
  expect(await plan({ variableValues: { tag: '2' } })).toMatchObject({ effect: 'replace' })
  await patch({ variableValues: { tag: '2' } }, '', 409)
  const { operation } = await patch({ variableValues: { greeting: 'bye', password: second } })
  await house.ended(operation.id)
  expect(web()).toMatchObject({ image: 'web:1', env: { GREETING: 'bye' }, secretEnv: { PW: second } })
})

test('a replacement renders the same, whatever has changed around, and the newest of a secret it refers to', async () => {
  const { house, web, patch } = await open()
  const ask = house.house
  const { metadata } = await ask.must(201, 'POST', secretsPath, { body: { name: 'db', spec: { value: first } } })
  const values = { password: { secret: 'db' } }
  const made = await house.running('web-1', {
    ...services({ env: { DSN: '${var.dsn}' } }),
    variables,
    variableValues: values,
  })
  expect(made.spec.variableValues).toEqual({ password: { secret: metadata.id } })
  expect((await ask.must(409, 'DELETE', `${secretsPath}/db`)).code).toBe('in_use')
  await ask.must(201, 'POST', `${secretsPath}/db/versions`, { body: { value: second } })
  const { operation } = await patch(
    { source: { services: { services: { web: { image: 'other' } } } } },
    '?allow=replace',
  )
  await house.ended(operation.id)
  await expect.poll(() => house.backends().length).toBe(1)
  expect(web()).toMatchObject({ image: 'other', secretEnv: { DSN: `db://shop:${second}@sim` } })
  const stored = ask.engine.cache.platform().get('instance', made.metadata.id)!
  expect(stored.status).toMatchObject({ surroundings: { 'project.name': 'shop', 'region.name': 'sim' } })
})

test('what cannot be rendered, or would show a secret, is refused with its place', async () => {
  const { house, paths } = await open()
  const refused = async (web: object, more: object = {}) =>
    paths(
      await house.must(422, 'POST', '', { body: { name: 'web-1', spec: { ...services(web), variables, ...more } } }),
    )
  expect(await refused({ env: { A: '${var.nope}', B: '${HOME}' }, args: ['${network.cidr}'] })).toEqual([
    '/args/0',
    '/env/A',
    '/env/B',
  ])
  expect(await refused({ command: ['serve', '${var.dsn}'] })).toEqual(['/command/1'])
  expect(await refused({}, { variableValues: { cpus: 65, other: 'x' } })).toEqual([
    '/spec/variableValues/cpus',
    '/spec/variableValues/other',
  ])
  await house.running('web-1', { ...services(), variables })
  const needed = { variables: [...variables, { name: 'more', required: true }] }
  const answer = await house.must(422, 'PATCH', '/web-1', { body: { spec: needed } })
  expect(paths(answer)).toEqual(['/spec/variableValues/more'])
  const unused = await house.must(422, 'PATCH', '/web-1', {
    body: { spec: { source: { services: { services: { web: { env: { A: '${var.x}' } } } } } } },
  })
  expect(paths(unused)).toEqual(['/env/A'])
})

test('no text becomes the image of another project', async () => {
  const { house } = await open()
  const spec = (tag: string) => ({ ...services({ image: '${var.tag}' }), variables: [{ name: 'tag', default: tag }] })
  await house.must(404, 'POST', '', { body: { name: 'web-1', spec: spec('img_018f0000-0000-7000-8000-000000000000') } })
  await house.create('web-1', spec('web:1'))
})

test('user data is rendered, with its secrets; bytes are as they are', async () => {
  const { house, userData } = await open()
  const text = '#!/bin/sh\necho ${instance.name} ${var.password} $${HOME}'
  const given = { variables, variableValues: { password: first } }
  const made = await house.running('web-1', { ...machine({ userData: text }), ...given })
  expect(userData()).toBe(`#!/bin/sh\necho web-1 ${first} \${HOME}`)
  expect(made.spec.source.machine.userData).toMatchObject({ template: true })
  const read = await house.must(200, 'GET', '/web-1/user-data')
  expect(Buffer.from(read.userDataBase64, 'base64').toString()).toBe(text)
  const preview = await house.must(200, 'POST', '/web-1/preview', { body: {} })
  expect(preview.machine.userData).toBe('#!/bin/sh\necho web-1 [secret] ${HOME}')
  const operator = await house.house.account('acme', 'op', { role: 'operator', project: 'shop' })
  const masked = await house.must(200, 'POST', '/web-1/preview', { body: {}, token: operator.token })
  expect(masked.machine.userData).toBe('[secret]')
  const plan = await house.must(200, 'POST', '/web-1/plan', {
    body: { spec: { variableValues: { password: second } } },
  })
  expect(plan.effect).toBe('replace')
  await house.must(202, 'DELETE', '/web-1')
  await house.gone('web-1')
  await expect.poll(() => house.backends().length).toBe(0)
  const userDataBase64 = Buffer.from('#!/bin/sh\necho ${HOME}').toString('base64')
  await house.running('web-1', machine({ userDataBase64 }))
  expect(userData()).toBe('#!/bin/sh\necho ${HOME}')
  const refused = await house.must(422, 'POST', '', {
    body: { name: 'vm', spec: machine({ userData: '#!/bin/sh\n${HOME}' }) },
  })
  expect(refused.errors[0].path).toBe('/spec/source/machine/userData')
})

test('a preview says what would be launched and makes nothing', async () => {
  const { house } = await open()
  await house.house.must(201, 'POST', secretsPath, { body: { name: 'db', spec: { value: first } } })
  const spec = {
    ...services({
      env: { ID: '${instance.id}', DSN: '${var.dsn}' },
      secrets: [
        { name: 'db', file: '/run/db' },
        { name: 'db', env: 'PW' },
      ],
    }),
    variables,
    variableValues: { password: second },
  }
  const preview = await house.must(200, 'POST', '/preview', { body: { name: 'web-1', spec } })
  expect(preview).toMatchObject({
    name: 'web-1',
    power: 'on',
    services: {
      web: {
        env: { ID: '[id]' },
        secretEnv: { DSN: 'db://shop:[secret]@sim', PW: '[secret]' },
        files: [{ path: '/run/db', secret: true, mode: '0400', content: '[secret]' }],
      },
    },
  })
  expect((await house.must(200, 'GET', '')).total).toBe(0)
  expect(await house.used()).toEqual({})
})
