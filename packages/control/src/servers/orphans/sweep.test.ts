import { createMetrics, type ReconcileContext } from '@stead/engine'
import { listAll, ownTags } from '@stead/provider-kit'
import { expect, test } from 'vitest'
import { eventsTable } from '../../events/model.ts'
import { plant } from '../../instances/adopting/tests/plant.ts'
import { InstanceHouse, machine } from '../../instances/tests/house.ts'
import { Region } from '../../regions/model.ts'
import { RegionMemory } from '../observing/memory.ts'
import { survey } from '../observing/survey.ts'
import { reportedAfter } from './model.ts'
import { sweep, sweepMetrics } from './sweep.ts'

test('what maps to no server, or to one that has another, is counted and told once, and left alone', async () => {
  const at = await InstanceHouse.open()
  const { engine, store, world } = at.house
  const { metadata } = await at.running('vm-1', machine())
  const own = at.cloud.account().server(at.serversOf(metadata.id)[0]!.status.backendId!)
  // What is nobody's is then looked for by nobody else.
  await at.house.must(200, 'PATCH', '/v1/regions/sim', { body: { spec: { mode: 'maintenance' } } })
  const second = await plant(at.cloud, own.tags)
  const nobodys = await plant(at.cloud, { ...own.tags, [ownTags.serverId]: 'srv_gone' })

  const cache = engine.cache.platform() as ReconcileContext['cache']
  const region = cache.get<Region>(Region.kind, (await at.house.must(200, 'GET', '/v1/regions/sim')).metadata.id)!
  const provider = await at.house.registering().clients.of(region)
  const infos = await listAll(provider.list({ tags: { [ownTags.regionId]: region.id } }))
  const commit: ReconcileContext['commit'] = async set => {
    const outcome = await engine.commit(set)
    await engine.cache.reached(store.head())
    return outcome
  }
  const memory = new RegionMemory(world, {})
  const metrics = createMetrics()
  const sweeping = {
    ...{ region, provider, memory, store, metrics: sweepMetrics(metrics) },
    context: { cache, world, commit, observeOnly: false } as unknown as ReconcileContext,
  }
  /** A list that was begun then, and what comes of it. */
  const look = async (began: number) => {
    const surveying = { region: region.id, cache, capabilities: provider.capabilities(), memory }
    memory.meet(survey({ infos, began, shows: store.head() }, surveying).strangers, began)
    await sweep(sweeping)
  }
  const counted = () =>
    metrics
      .expose()
      .split('\n')
      .filter(line => line.startsWith('stead_backend_unmapped_total{'))
      .sort()
  const told = async () => {
    const found = await store.records({ table: eventsTable, scope: 'platform', subject: region.id, limit: 100 })
    return found
      .map(({ body }) => body as { level: string; reason: string; message: string })
      .filter(({ reason }) => reason === 'OrphanFound')
  }

  await look(0)
  expect([counted(), await told()]).toEqual([[], []])
  // Twice more: what was told is not told again.
  for (const began of [reportedAfter, reportedAfter + 1]) await look(began)
  expect(counted()).toEqual([
    'stead_backend_unmapped_total{reason="duplicate"} 1',
    'stead_backend_unmapped_total{reason="unknown"} 1',
  ])
  const events = await told()
  expect(events).toHaveLength(2)
  for (const [backendId, why] of [
    [second, 'has another'],
    [nobodys, 'is not known here'],
  ] as const)
    expect(events).toContainEqual(
      expect.objectContaining({ level: 'warning', message: expect.stringMatching(`^${backendId} .*${why}`) }),
    )
  for (const id of [own.id, second, nobodys]) expect(at.cloud.account().server(id).state).toBe('active')
  expect((await at.get('vm-1')).status).toMatchObject({ phase: 'running', ready: true })
})
