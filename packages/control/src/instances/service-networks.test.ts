import { expect, test } from 'vitest'
import { shop } from '../networks/tests/network-house.ts'
import { unsealLaunch } from '../servers/launch-content.ts'
import { InstanceHouse, services } from './tests/house.ts'

/** Services on a network of the project. */
const on = (network: string) => {
  const { source, ...spec } = services() as { source: { services: object } }
  return { ...spec, source: { services: { ...source.services, network } } }
}

async function open() {
  const house = await InstanceHouse.open()
  const network = (name: string, cidr: string, region = 'sim') =>
    house.house.must(201, 'POST', `${shop}/networks`, { body: { name, spec: { region, cidr } } })
  const { metadata } = await network('n1', '10.0.0.0/24')
  return { house, network, id: metadata.id as string }
}

test('services are launched onto the network they name, once it is there, and it stays as long as they do', async () => {
  const { house, id } = await open()
  const made = await house.running('web', on('n1'))
  expect(made.spec.source.services.network).toBe(id)
  const [server] = house.serversOf(made.metadata.id)
  const { sealer } = house.house.registering()
  const { source } = await unsealLaunch({ store: house.house.store, sealer }, server!, server!.spec.launch.sealed)
  const [backend] = house.cloud.account().networks.roster
  expect(source).toMatchObject({ type: 'services', network: backend!.id })
  expect(await house.house.must(409, 'DELETE', `${shop}/networks/n1`)).toMatchObject({
    code: 'in_use',
    blockedBy: [{ kind: 'instance', name: 'web' }],
  })
  expect((await house.must(200, 'GET', '?network=n1')).total).toBe(1)
  await house.must(202, 'DELETE', '/web')
  await house.gone('web')
  await house.house.must(202, 'DELETE', `${shop}/networks/n1`)
})

test('a name is taken once on each network, and once where there is none', async () => {
  const { house, network } = await open()
  await network('n2', '10.0.1.0/24')
  for (const spec of [on('n1'), on('n2'), services()]) await house.create('web', spec)
  expect(await house.call('POST', '', { body: { name: 'web', spec: on('n2') } })).toMatchObject({ status: 409 })
  expect((await house.must(409, 'GET', '/web')).code).toBe('ambiguous_name')
  const found = await house.must(200, 'GET', '/n2%2Fweb')
  expect(found.spec.source.services.network).toMatch(/^net_/)
})

test('the network never changes, by whatever name it is called, and is of the same region', async () => {
  const { house, network, id } = await open()
  await network('n2', '10.0.1.0/24')
  await house.running('web', on('n1'))
  const patch = (network: string) => ({ body: { spec: { source: { services: { network } } } } })
  for (const same of ['n1', id])
    expect((await house.must(202, 'PATCH', '/web', patch(same))).metadata.generation).toBe(1)
  expect(await house.must(422, 'PATCH', '/web', patch('n2'))).toMatchObject({
    errors: [{ path: '/spec/source/services/network' }],
  })
  await house.house.must(201, 'POST', '/v1/regions', {
    body: { name: 'other', spec: { provider: 'simulated', credentials: { key: 'simulated' } } },
  })
  const refused = await house.call('POST', '', { body: { name: 'far', spec: { ...on('n1'), region: 'other' } } })
  expect(refused).toMatchObject({
    status: 422,
    body: { errors: [{ path: '/spec/region' }, { path: '/spec/source/services/network' }] },
  })
  expect((await house.call('POST', '', { body: { name: 'lost', spec: on('nowhere') } })).status).toBe(404)
})
