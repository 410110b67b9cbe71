import { changeSet } from '@stead/engine'
import { describe, expect, test } from 'vitest'
import { instances } from '../model.ts'
import { InstanceHouse, machine, services } from '../tests/house.ts'

const root = '/spec/source/services/services'
const patch = (changes: object) => ({ spec: { source: { services: { services: changes } } } })
const shop = '/v1/projects/acme%2Fshop'
const pathsOf = ({ errors = [] }: { errors?: { path: string }[] }) => errors.map(({ path }) => path)

describe('what fits together is not made to contradict itself by a patch', () => {
  const worker = { role: 'sidecar', image: 'host', env: { PORT_SQL: '1' }, ports: [{ name: 'jobs', port: 5_432 }] }
  const checked = { dependsOn: ['worker'], healthChecks: [{ type: 'tcp', port: 'http' }] }

  test.for([
    ['services wait for each other', { worker: { dependsOn: ['web'] } }, [`${root}/web/dependsOn`]],
    ['another waits for what goes', { worker: null }, [`${root}/web/dependsOn/0`]],
    ['a check asks a port that goes', { web: { ports: [{ name: 'other' }] } }, [`${root}/web/healthChecks/0/port`]],
    [
      'a later service has the port',
      { web: { ports: [{ name: 'http', port: 5_432 }] } },
      [`${root}/worker/ports/0/port`],
    ],
    ['a variable has the name of its port', { worker: { ports: [{ name: 'sql' }] } }, [`${root}/worker/env/PORT_SQL`]],
  ] as const)('%s', async ([, changes, paths]) => {
    const house = await InstanceHouse.open()
    await house.create('web-1', services(checked, { worker }))
    const answer = await house.must(422, 'PATCH', '/web-1?allow=replace', { body: patch(changes) })
    expect(pathsOf(answer)).toEqual(paths)
    expect((await house.get('web-1')).metadata.generation).toBe(1)
  })

  test.for([
    ['ttl', { ttl: '1h' }, { deletionProtection: true }],
    ['protection', { deletionProtection: true }, { ttl: '1h' }],
  ] as const)('what is protected does not end by itself, whichever is said first: %s', async ([, first, then]) => {
    const house = await InstanceHouse.open()
    await house.create('web-1', { ...services(), ...first })
    const answer = await house.must(422, 'PATCH', '/web-1', { body: { spec: then } })
    expect(pathsOf(answer)).toEqual(['/spec/ttl', '/spec/deletionProtection'])
  })
})

test('user data is said in one way', async () => {
  const house = await InstanceHouse.open()
  await house.create('vm-1', machine({ userData: 'a' }))
  const sent = { userData: 'b', userDataBase64: 'Yw==' }
  const answer = await house.must(422, 'PATCH', '/vm-1', { body: { spec: { source: { machine: sent } } } })
  expect(pathsOf(answer)).toEqual(['/spec/source/machine/userData', '/spec/source/machine/userDataBase64'])
})

test('what contradicted itself before does not stand in the way of something else', async () => {
  const house = await InstanceHouse.open()
  const { metadata } = await house.running('web-1', { ...services(), ttl: '1h' })
  const { engine, world } = house.house
  const before = engine.cache.platform().get(instances, metadata.id)!
  await engine.commit(changeSet(world).update(before, { spec: { ...before.spec, deletionProtection: true } }))
  await house.must(202, 'PATCH', '/web-1', { body: { labels: { a: 'b' }, spec: { onCrash: 'stop' } } })
  await house.must(422, 'PATCH', '/web-1', { body: { spec: { ttl: '2h' } } })
})

test('what is being deleted cannot be attached any more, and what is attached stays as it is', async () => {
  const house = await InstanceHouse.open()
  await house.house.must(201, 'POST', `${shop}/networks`, {
    body: { name: 'n1', spec: { region: 'sim', cidr: '10.20.0.0/24' } },
  })
  await house.house.must(201, 'POST', `${shop}/security-groups`, {
    body: { name: 'web', spec: { network: 'n1', rules: [] } },
  })
  await house.running('vm-1', machine({ network: 'n1' }))
  await expect
    .poll(async () => (await house.house.must(200, 'GET', `${shop}/security-groups/web`)).status.state)
    .toBe('ready')
  // Nothing is done in the region, so it does not go.
  await house.house.must(200, 'PATCH', '/v1/regions/sim', { body: { spec: { mode: 'maintenance' } } })
  await house.house.must(202, 'DELETE', `${shop}/security-groups/web`)
  const attach = { spec: { source: { machine: { securityGroups: ['web'] } } } }
  expect(await house.must(409, 'PATCH', '/vm-1?allow=replace', { body: attach })).toMatchObject({
    code: 'invalid_state',
    detail: 'the security-group web is being deleted',
  })
  await house.must(202, 'PATCH', '/vm-1?allow=replace', { body: { spec: { source: { machine: { publicIp: true } } } } })
})
