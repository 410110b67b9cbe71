import { changeSet, type ObjectDraft, setCondition } from '@stead/engine'
import { createToken, type LaunchSpec, serverTags } from '@stead/provider-kit'
import { expect, test, vi } from 'vitest'
import type { Region } from '../../regions/model.ts'
import { openRegionHouse } from '../../regions/tests/region-house.ts'
import { massLoss } from '../hold.ts'
import { Orphan, type OrphanSpec, type OrphanStatus } from './model.ts'

const patience = { timeout: 20_000 }

type Opened = Awaited<ReturnType<typeof openRegionHouse>>

/** Leaves something in the cloud that nobody here knows, and reports it as the observer does after a while. */
async function leave({ house, cloud }: Opened, region: string): Promise<string> {
  const { engine, world, store } = house
  const tags = serverTags({ controlPlane: store.identity.storeId, region }, 'srv_gone')
  const source = { type: 'machine', flavor: 'small', image: 'minimal' } as const
  const spec: LaunchSpec = { name: 'stray', power: 'on', source, tags }
  const { id } = cloud.account().launch({ spec, tags, name: 'stray', token: createToken('stray'), fingerprint: '' })
  const orphan: ObjectDraft<OrphanSpec, OrphanStatus> = {
    kind: Orphan.kind,
    id: 'orp_1',
    labels: {},
    finalizers: [],
    createdAt: world.now(),
    owner: { kind: 'region', id: region },
    spec: { region, backendId: id, serverId: 'srv_gone', reason: 'unknown' },
    status: { state: 'running', launchedAt: world.now() },
  }
  await engine.commit(changeSet(world).create(orphan))
  return id
}

test('operators list the orphans of a region and say that one is to go, once, on the record', async () => {
  const opened = await openRegionHouse()
  const { house, region } = opened
  const { metadata } = await region('east')
  await region('west')
  const backendId = await leave(opened, metadata.id)
  const { items } = await house.must(200, 'GET', '/v1/regions/east/orphans')
  expect(items).toMatchObject([
    {
      metadata: { id: 'orp_1' },
      spec: { backendId, serverId: 'srv_gone', reason: 'unknown' },
      status: { state: 'running' },
    },
  ])
  expect((await house.must(200, 'GET', '/v1/regions/west/orphans')).items).toEqual([])

  await house.must(404, 'POST', '/v1/regions/west/orphans/orp_1/reap')
  await house.must(404, 'POST', '/v1/regions/east/orphans/nothing/reap')
  const reaped = await house.must(202, 'POST', `/v1/regions/east/orphans/${backendId}/reap`)
  expect(reaped.spec.reap.by).toMatch(/_/)
  const again = await house.must(202, 'POST', '/v1/regions/east/orphans/orp_1/reap')
  expect(again.metadata.generation).toBe(reaped.metadata.generation)
  const { items: audit } = await house.must(200, 'GET', '/v1/system/audit')
  expect(JSON.stringify(audit)).toContain('orp_1')
})

test('a loss is accepted where there is one, and only there', async () => {
  const { house, region } = await openRegionHouse()
  const { metadata } = await region('east')
  expect(await house.must(409, 'POST', '/v1/regions/east/accept-loss')).toMatchObject({ code: 'invalid_state' })
  const { engine, world } = house
  const raised = { type: massLoss, status: 'true', reason: 'TooManyGone', message: '12 of 12' } as const
  // Its health is written by others meanwhile.
  await vi.waitFor(async () => {
    const stored = engine.cache.platform().get<Region>('region', metadata.id)!
    const conditions = setCondition(stored.status.conditions, raised, world.now())
    await engine.commit(changeSet(world).update(stored, { status: { ...stored.status, conditions } }))
  }, patience)
  await house.must(202, 'POST', '/v1/regions/east/accept-loss')
})

test('whoever may not change regions sees nothing of this', async () => {
  const { house, region } = await openRegionHouse()
  await region('east')
  const { token } = await house.account('acme', 'robot', { role: 'org-admin' })
  for (const [method, path] of [
    ['GET', 'orphans'],
    ['POST', 'orphans/orp_1/reap'],
    ['POST', 'accept-loss'],
  ] as const)
    await house.must(403, method, `/v1/regions/east/${path}`, { token })
})
