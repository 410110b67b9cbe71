import { changeSet, createMetrics, openSqliteStore, type Store, silentLogger, startEngine } from '@stead/engine'
import { temporaryDirectory } from '@stead/testing'
import { realWorld } from '@stead/world'
import { expect, onTestFinished, test } from 'vitest'
import { openRooms, roomIndexes } from '../../rooms.ts'
import { surroundings } from '../../tests/surroundings.ts'
import { type Grant, grantKey } from '../grants/model.ts'
import { type ServiceAccount, serviceAccountName } from '../service-accounts/model.ts'
import { MemoryKeeper } from '../tests/memory-keeper.ts'
import { firstStart, type TokenKeeper } from './first-start.ts'
import { resetAdminToken } from './reset-token.ts'

const world = realWorld

async function emptyStore() {
  const store = await openSqliteStore({ directory: temporaryDirectory(), world })
  const engine = startEngine({ store, world, indexes: roomIndexes })
  const { cache } = engine
  await engine.loaded
  const version = { version: '0.0.0', node: process.version }
  const rooms = openRooms({
    engine,
    ...surroundings(store, world),
    world,
    metrics: createMetrics(),
    log: silentLogger,
    isSecure: false,
    version,
  })
  onTestFinished(async () => {
    await rooms.close()
    await engine.stop()
    await store.close()
  })
  const start = async (keeper: TokenKeeper = new MemoryKeeper()) => {
    const token = await firstStart({ store, world, keeper })
    await cache.reached(store.head())
    return token
  }
  const reset = () => resetAdminToken({ everything: cache.platform(), world, commit: set => engine.commit(set) })
  const come = async (token: string | undefined) =>
    rooms.authenticate({ method: 'GET', headers: { authorization: `Bearer ${token}` }, address: '127.0.0.1' })
  return { store, cache, start, reset, come }
}

test('the first start makes organization default, project default and an admin who may everything', async () => {
  const { cache, start, come } = await emptyStore()
  const keeper = new MemoryKeeper()
  const token = await start(keeper)
  expect(keeper).toMatchObject({ confirmed: token })
  expect(keeper.proposed()).toBeUndefined()
  const admin = await come(token)
  expect(admin.may('system:update', { type: 'platform' })).toBe(true)
  const everything = cache.platform()
  const [organization] = everything.list({ kind: 'organization', name: 'default' }).items
  const [project] = everything.list({ kind: 'project', name: 'default' }).items
  expect(project).toMatchObject({ organizationId: organization!.id, projectId: project!.id })
})

test('however many nodes start together, it happens once', async () => {
  const { cache, start } = await emptyStore()
  const tokens = await Promise.all(Array.from({ length: 8 }, () => start()))
  expect(tokens.filter(token => token !== undefined)).toHaveLength(1)
  expect(cache.platform().count({ kind: 'organization' })).toBe(1)
  expect(cache.platform().count({ kind: 'token' })).toBe(1)
  expect(await start()).toBeUndefined()
})

test('a token that was proposed before a crash is kept if its start happened, and forgotten if another did', async () => {
  const { store, start, come } = await emptyStore()
  const crashing = new MemoryKeeper()
  const dies = { ...crashingStore(store), keyHolder: (key: string) => store.keyHolder(key) }
  await expect(firstStart({ store: dies, world, keeper: crashing })).rejects.toThrow('crash after the commit')
  const late = new MemoryKeeper()
  late.propose({ token: 'of a start that never was', startId: 'cs_other' })
  expect(await start(late)).toBeUndefined()
  expect(late).toMatchObject({ confirmed: undefined })
  expect(late.proposed()).toBeUndefined()
  expect(await start(crashing)).toBe(crashing.confirmed)
  expect((await come(crashing.confirmed)).principalId).toMatch(/^sa_/)
})

/** Commits, and dies before it can say so. */
const crashingStore = (store: Pick<Store, 'commit'>): Pick<Store, 'commit'> => ({
  async commit(set) {
    await store.commit(set)
    throw new Error('crash after the commit')
  },
})

test('what was deleted since does not come back with the next start', async () => {
  const { store, cache, start } = await emptyStore()
  await start()
  const [project] = cache.platform().list({ kind: 'project' }).items
  const { revision } = await store.commit(changeSet(world).remove(project!))
  await cache.reached(revision)
  await start()
  expect(cache.platform().count({ kind: 'project' })).toBe(0)
})

test('a reset gives a new admin token and ends the old one', async () => {
  const { start, reset, come } = await emptyStore()
  const old = await start()
  const renewed = await reset()
  await expect(come(old)).rejects.toThrow('unknown or was revoked')
  expect((await come(renewed)).may('system:update', { type: 'platform' })).toBe(true)
})

test('a reset helps whatever was done to the admin: disabled, stripped of its role, on its way out, or gone', async () => {
  const { store, cache, start, reset, come } = await emptyStore()
  await start()
  const everything = cache.platform()
  const account = () => everything.list<ServiceAccount>({ kind: 'service-account' }).items.at(-1)!
  const grant = () => everything.list<Grant>({ kind: 'grant' }).items[0]!
  const harms = [
    () => changeSet(world).update(account(), { spec: { disabled: true } }),
    () => changeSet(world).remove(grant()).release(grantKey(grant()), grant().id),
    () => changeSet(world).update(account(), { deletedAt: world.now() }),
    () => changeSet(world).remove(account()).release(serviceAccountName(undefined, account().name!), account().id),
  ]
  for (const harm of harms) {
    const { revision } = await store.commit(harm())
    await cache.reached(revision)
    expect((await come(await reset())).may('system:update', { type: 'platform' })).toBe(true)
  }
})
