import { ConflictError, changeSet, type ObjectDraft } from '@stead/engine'
import { newId } from '@stead/world'
import { expect, test } from 'vitest'
import { InstanceHouse } from '../instances/tests/house.ts'
import { type ServerSpec, type ServerStatus, servers, slotKey, unlaunched } from './model.ts'

test('a second server in a slot of an instance cannot be written, whoever tries', async () => {
  const { house, ...at } = await opened()
  const { engine, world, store } = house
  const [active] = at.servers()
  const { owner, organizationId, projectId, labels, spec } = active!
  const take = async () => {
    const second: ObjectDraft<ServerSpec, ServerStatus> = {
      ...{
        kind: servers,
        id: newId(world, 'srv'),
        owner: owner!,
        organizationId: organizationId!,
        projectId: projectId!,
      },
      ...{ labels, finalizers: [], createdAt: world.now(), spec, status: unlaunched(1, store.identity.epoch) },
    }
    await engine.commit(changeSet(world).create(second).take(slotKey(owner!.id, 'active'), second.id))
  }
  for (const { status, reason } of (await Promise.allSettled([take(), take()])) as PromiseRejectedResult[]) {
    expect([status, reason]).toEqual(['rejected', expect.any(ConflictError)])
    expect(reason.conflict).toMatchObject({ type: 'key', key: slotKey(owner!.id, 'active'), heldBy: active!.id })
  }
  expect(at.servers().map(({ id }) => id)).toEqual([active!.id])
})

async function opened() {
  const at = await InstanceHouse.open()
  const { metadata } = await at.running('web-1')
  return { house: at.house, servers: () => at.serversOf(metadata.id) }
}
