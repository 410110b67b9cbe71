import { SimulatedCloud, simulatedProvider } from '@stead/provider-kit/simulated'
import { realWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { openNetworkHouse, shop } from '../networks/tests/network-house.ts'
import { openRegionHouse, secretKey } from '../regions/tests/region-house.ts'
import { without } from '../regions/tests/without.ts'

const rule = (port: number) => ({ direction: 'ingress', protocol: 'tcp', port, cidr: '0.0.0.0/0' })

async function withGroup() {
  const opened = await openNetworkHouse()
  const { metadata } = await opened.network('n1', '10.0.0.0/24')
  const group = await opened.make('security-groups', 'web', { network: 'n1', rules: [rule(22)] })
  return { ...opened, networkId: metadata.id as string, group, path: `${shop}/security-groups/web` }
}

test('a group is made once its network is there, with its rules, and they can be changed', async () => {
  const { house, cloud, until, group, networkId, path } = await withGroup()
  expect(group.spec).toEqual({ network: networkId, rules: [rule(22)] })
  await until('security-groups/web', 'ready')
  const outside = () => [...cloud.account().securityGroups.roster].map(each => each.view().rules)
  expect(outside()).toEqual([
    [{ direction: 'ingress', protocol: 'tcp', ports: { from: 22, to: 22 }, cidr: '0.0.0.0/0' }],
  ])
  const changed = await house.must(200, 'PATCH', path, { body: { spec: { rules: [rule(80), rule(443)] } } })
  expect(changed).toMatchObject({ metadata: { generation: 2 }, status: { state: 'pending' } })
  expect((await until('security-groups/web', 'ready')).status.observedGeneration).toBe(2)
  expect(outside()[0]!.map(({ ports }) => ports!.from)).toEqual([80, 443])
  await house.must(422, 'PATCH', path, { body: { spec: { rules: [rule(80), rule(80)] } } })
  await house.must(400, 'PATCH', path, { body: { spec: { rules: [rule(0)] } } })
})

test('its network never changes, by whatever name it is called', async () => {
  const { house, network, networkId, path } = await withGroup()
  await network('n2', '10.0.1.0/24')
  for (const same of ['n1', networkId])
    await house.must(200, 'PATCH', path, { body: { labels: { same }, spec: { network: same } } })
  await house.must(422, 'PATCH', path, { body: { spec: { network: 'n2' } } })
  expect((await house.must(200, 'GET', `${shop}/security-groups?network=n1`)).total).toBe(1)
  expect((await house.must(200, 'GET', `${shop}/security-groups?network=n2`)).total).toBe(0)
})

test('a network with groups is deleted only with them', async () => {
  const { house, cloud, until, path } = await withGroup()
  await until('security-groups/web', 'ready')
  const refused = await house.must(409, 'DELETE', `${shop}/networks/n1`)
  expect(refused).toMatchObject({
    code: 'in_use',
    detail: 'this network still has 1 security-group',
    blockedBy: [{ kind: 'security-group', name: 'web' }],
  })
  await house.must(202, 'DELETE', `${shop}/networks/n1?cascade=true`)
  await house.gone(`${shop}/networks/n1`)
  await house.must(404, 'GET', path)
  const { networks, securityGroups } = cloud.account()
  expect([...networks.roster, ...securityGroups.roster]).toEqual([])
})

test('nothing is made on a network that is on its way out, or that the caller may not see', async () => {
  const { house, make, network } = await openNetworkHouse()
  await network('n1', '10.0.0.0/24')
  await make('security-groups', 'web', { network: 'nowhere', rules: [] }, 404)
  const theirs = await house.must(201, 'POST', '/v1/projects/globex%2Fshop/networks', {
    body: { name: 'n9', spec: { region: 'sky', cidr: '10.0.0.0/24' } },
  })
  await make('security-groups', 'web', { network: theirs.metadata.id, rules: [] }, 404)
  await house.must(201, 'POST', '/v1/organizations/acme/roles', {
    body: { name: 'blind', spec: { permissions: ['security-groups:read', 'security-groups:create'] } },
  })
  const { token } = await house.account('acme', 'robot', { role: 'blind', project: 'shop' })
  const body = { name: 'web', spec: { network: 'n1', rules: [] } }
  await house.must(404, 'POST', `${shop}/security-groups`, { token, body })
})

test('where a region cannot enforce them, creating one says so', async () => {
  const cloud = new SimulatedCloud({ world: realWorld })
  cloud.addKey(secretKey, 'default')
  const lax = without(
    'securityGroups',
    simulatedProvider(() => cloud),
    'lax',
  )
  const { house, region } = await openRegionHouse(cloud, { providers: [lax] })
  await region('sky', { provider: 'lax' })
  await house.must(201, 'POST', `${shop}/networks`, {
    body: { name: 'n1', spec: { region: 'sky', cidr: '10.0.0.0/24' } },
  })
  const body = { name: 'web', spec: { network: 'n1', rules: [rule(22)] } }
  expect(await house.must(501, 'POST', `${shop}/security-groups`, { body })).toMatchObject({
    code: 'unsupported',
    detail: 'the region sky cannot enforce security groups',
  })
})
