import assert from 'node:assert/strict'
import type { ImageInfo } from '../../catalog.ts'
import type { NetworkInfo, SecurityGroupInfo, VolumeInfo } from '../../groups/resources.ts'
import type { Bench } from '../bench.ts'
import { promises } from '../promise.ts'
import { imageSpec, letIn, made, networkFor, snapshottable } from './collections.ts'

export const snapshotPromises = promises('snapshot', {
  async 'a snapshot boots and has the content'(bench) {
    const { id } = await snapshottable(bench)
    await bench.inside.write(id, 'before')
    const image = await made<ImageInfo>(bench, 'snapshot', { server: id })
    await bench.inside.write(id, 'after')
    const copy = await bench.running({ source: bench.fixture('snapshot').source(image.id) })
    assert.equal(await bench.inside.read(copy.id), 'before')
    await bench.inside.write(copy.id, 'copy')
    assert.equal(await bench.inside.read(id), 'after', 'the copy wrote on the original')
  },

  async 'a snapshot of the never-seen is NotFound'(bench) {
    const spec = { name: 'contract', tags: bench.ownTags(), server: 'never-seen' }
    await bench.refused('a snapshot of nothing', () => bench.provider.snapshot!.create(spec, bench.token()), 'NotFound')
  },
})

export const imagePromises = promises(
  'images',
  {
    async 'an image that was brought in boots'(bench) {
      const { source, shows } = bench.fixture('images')
      const image = await made<ImageInfo>(bench, 'images', imageSpec(bench, 0))
      const { id } = await bench.running({ source: source(image.id) })
      assert.ok(await shows(id), 'it runs something else')
    },

    async 'an image that does not arrive whole is refused and leaves nothing'(bench) {
      const before = await bench.subject.backend.count()
      const { open } = imageSpec(bench, 1)
      const spec = { name: 'contract', tags: bench.ownTags(), ...imageSpec(bench, 0), open }
      await bench.refused('another content', () => bench.provider.images!.create(spec, bench.token()), 'InvalidConfig')
      await bench.pictures()
      assert.equal(await bench.subject.backend.count(), before)
    },
  },
  { 'an image that does not arrive whole is refused and leaves nothing': 'alone' },
)

async function neighbours(bench: Bench, ...networks: string[]): Promise<string[]> {
  const { source } = bench.fixture('networks')
  const servers = await Promise.all(networks.map(network => bench.running({ source: source(network) })))
  return servers.map(server => server.id)
}

async function refusedWhileUsed(bench: Bench, group: 'networks' | 'volumes', id: string, user: string): Promise<void> {
  const collection = bench.provider[group]!
  await bench.refused(`deleting ${id} while ${user} uses it`, () => collection.delete(id), 'Conflict')
  assert.equal((await collection.describe(id)).state, 'ready')
  await bench.provider.terminate(user)
  await bench.untilGone(user)
  await collection.delete(id)
}

export const networkPromises = promises('networks', {
  async 'networks isolate'(bench) {
    const { cidrs, reaches } = bench.fixture('networks')
    const red = await made<NetworkInfo>(bench, 'networks', { cidr: cidrs[0] })
    const blue = await made<NetworkInfo>(bench, 'networks', { cidr: cidrs[1] })
    const [one, two, other] = await neighbours(bench, red.id, red.id, blue.id)
    await bench.eventually('neighbours to reach each other', async () => (await reaches(one!, two!)) || undefined)
    assert.equal(await reaches(one!, other!), false, 'one network reaches into the other')
    assert.equal(await reaches(other!, two!), false, 'one network reaches into the other')
  },

  async 'a network in use is not deleted'(bench) {
    const network = await made<NetworkInfo>(bench, 'networks', { cidr: bench.fixture('networks').cidrs[0] })
    const [user] = await neighbours(bench, network.id)
    await refusedWhileUsed(bench, 'networks', network.id, user!)
  },
})

export const securityGroupPromises = promises('securityGroups', {
  async 'a security group lets in only what its rules say'(bench) {
    const { source, reaches } = bench.fixture('securityGroups')
    const network = await networkFor(bench)
    const group = await made<SecurityGroupInfo>(bench, 'securityGroups', { network, rules: [letIn(22)] })
    const from = await bench.running({ source: source(network, []) })
    const to = await bench.running({ source: source(network, [group.id]) })
    await bench.eventually('port 22 to answer', async () => (await reaches(from.id, to.id, 22)) || undefined)
    assert.equal(await reaches(from.id, to.id, 23), false, 'port 23 is shut and answers')
  },

  async 'changed rules count for those that are there already'(bench) {
    const { source, reaches } = bench.fixture('securityGroups')
    const network = await networkFor(bench)
    const group = await made<SecurityGroupInfo>(bench, 'securityGroups', { network, rules: [letIn(22)] })
    const from = await bench.running({ source: source(network, []) })
    const to = await bench.running({ source: source(network, [group.id]) })
    const changed = await bench.provider.securityGroups!.setRules(group.id, [letIn(23)])
    assert.deepEqual(changed.rules, [letIn(23)])
    await bench.eventually('port 23 to open', async () => (await reaches(from.id, to.id, 23)) || undefined)
    assert.equal(await reaches(from.id, to.id, 22), false, 'port 22 stayed open')
  },
})

export const volumePromises = promises('volumes', {
  async 'a volume survives a stop'(bench) {
    const { source, write, read, sizesGiB } = bench.fixture('volumes')
    const volume = await made<VolumeInfo>(bench, 'volumes', { sizeGiB: sizesGiB[0] })
    const { id } = await bench.running({ source: source(volume.id) })
    await write(id, 'kept')
    await bench.provider.stop(id)
    await bench.until(id, 'stopped')
    await bench.provider.start(id)
    await bench.until(id, 'running')
    assert.equal(await read(id), 'kept')
  },

  async 'a volume outlives its server'(bench) {
    const { source, write, read, sizesGiB } = bench.fixture('volumes')
    const volume = await made<VolumeInfo>(bench, 'volumes', { sizeGiB: sizesGiB[0] })
    const first = await bench.running({ source: source(volume.id) })
    await write(first.id, 'kept')
    await bench.provider.terminate(first.id)
    await bench.untilGone(first.id)
    const second = await bench.running({ source: source(volume.id) })
    assert.equal(await read(second.id), 'kept')
    const { attachedTo } = await bench.provider.volumes!.describe(volume.id)
    assert.deepEqual(attachedTo, [second.id])
  },

  async 'a volume in use is not deleted'(bench) {
    const { source, sizesGiB } = bench.fixture('volumes')
    const volume = await made<VolumeInfo>(bench, 'volumes', { sizeGiB: sizesGiB[0] })
    const { id } = await bench.running({ source: source(volume.id) })
    await refusedWhileUsed(bench, 'volumes', volume.id, id)
  },
})
