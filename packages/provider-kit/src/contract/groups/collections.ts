import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { isProviderError } from '../../errors.ts'
import { listAll } from '../../filter.ts'
import type { Collection, ResourceInfo, ResourceSpec } from '../../groups/collection.ts'
import type { ImageSpec, SecurityRule } from '../../groups/resources.ts'
import type { ServerInfo } from '../../server-info.ts'
import { labelTags, ownerTags } from '../../tags.ts'
import type { Bench } from '../bench.ts'
import { type ContractPromise, promises } from '../promise.ts'

type Group = 'snapshot' | 'images' | 'networks' | 'securityGroups' | 'volumes'
type AnyCollection = Collection<ResourceSpec, ResourceInfo>

/** A spec of this kind. The two variants differ in what they ask for. */
type Some = (bench: Bench, variant: 0 | 1) => Promise<object>

const some: Readonly<Record<Group, Some>> = {
  snapshot: async bench => ({ server: (await snapshottable(bench)).id }),
  images: async (bench, variant) => imageSpec(bench, variant),
  networks: async (bench, variant) => ({ cidr: bench.fixture('networks').cidrs[variant] }),
  securityGroups: async (bench, variant) => ({ network: await networkFor(bench), rules: [letIn(variant ? 80 : 22)] }),
  volumes: async (bench, variant) => ({ sizeGiB: bench.fixture('volumes').sizesGiB[variant] }),
}

/** A running server that snapshots can be taken of. */
export async function snapshottable(bench: Bench): Promise<ServerInfo> {
  const source = await bench.fixture('snapshot').of?.()
  return bench.running(source && { source })
}

export const letIn = (port: number, cidr = '0.0.0.0/0'): SecurityRule => ({
  direction: 'ingress',
  protocol: 'tcp',
  ports: { from: port, to: port },
  cidr,
})

export const networkFor = (bench: Bench): Promise<string> =>
  bench.fixture('securityGroups').network({ ...ownerTags(bench.subject.owner), ...bench.mark })

export function imageSpec(bench: Bench, variant: 0 | 1): Omit<ImageSpec, 'name' | 'tags'> {
  const { contents, architecture } = bench.fixture('images')
  const content = contents[variant]
  return {
    sizeBytes: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
    architecture,
    async *open() {
      yield content
    },
  }
}

const collectionOf = (bench: Bench, group: Group) => bench.provider[group] as unknown as AnyCollection

/** Makes one, and waits until it is ready. It is removed afterwards. */
export async function made<Info extends ResourceInfo>(bench: Bench, group: Group, spec: object): Promise<Info> {
  const collection = collectionOf(bench, group)
  const whole = { name: `contract-${group.toLowerCase()}`, tags: bench.ownTags(), ...spec }
  const { id } = await collection.create(whole, bench.token(), { fresh: true })
  bench.afterwards(() => collection.delete(id))
  return ready<Info>(bench, group, id)
}

export const ready = async <Info extends ResourceInfo>(bench: Bench, group: Group, id: string): Promise<Info> =>
  bench.eventually(`${id} to be ready`, async () => {
    const found = await find(collectionOf(bench, group), id)
    assert.notEqual(found?.state, 'failed', found?.stateReason)
    return found?.state === 'ready' ? (found as Info) : undefined
  })

async function find(collection: AnyCollection, id: string): Promise<ResourceInfo | undefined> {
  try {
    return await collection.describe(id)
  } catch (error) {
    if (isProviderError(error, 'NotFound')) return undefined
    throw error
  }
}

const goneFrom = (bench: Bench, collection: AnyCollection, id: string) =>
  bench.eventually(`${id} to be gone`, async () => (await find(collection, id)) === undefined || undefined)

async function idsIn(bench: Bench, collection: AnyCollection, tags = bench.mark): Promise<string[]> {
  await bench.pictures()
  return (await listAll(collection.list({ tags }))).map(({ id }) => id).sort()
}

/** What is promised of everything that is made and removed, in words for this group. */
function collectionPromises(group: Group, word: string, article = 'a'): ContractPromise[] {
  const spec = async (bench: Bench, variant: 0 | 1 = 0) =>
    ({ name: 'contract', tags: bench.ownTags(), ...(await some[group](bench, variant)) }) as ResourceSpec
  const create = async (bench: Bench) => {
    const collection = collectionOf(bench, group)
    const [wanted, token] = [await spec(bench), bench.token()]
    const info = await collection.create(wanted, token, { fresh: true })
    bench.afterwards(() => collection.delete(info.id))
    return { collection, wanted, token, info }
  }
  return promises(group, {
    async [`one token makes one ${word}`](bench) {
      const { collection, wanted, token, info } = await create(bench)
      const again = await collection.create(wanted, token)
      assert.equal(again.id, info.id)
      assert.deepEqual(await idsIn(bench, collection), [info.id])
    },

    async [`one token for another ${word} is a conflict`](bench) {
      const { collection, token, info } = await create(bench)
      const other = await spec(bench, 1)
      await bench.refused(`another ${word}`, () => collection.create(other, token), 'Conflict')
      assert.deepEqual(await idsIn(bench, collection), [info.id])
    },

    async [`${article} ${word} without the tags that prove ownership is refused`](bench) {
      const bare = { ...(await spec(bench)), tags: bench.mark }
      const collection = collectionOf(bench, group)
      await bench.refused(`a ${word} without tags`, () => collection.create(bare, bench.token()), 'InvalidConfig')
      assert.deepEqual(await idsIn(bench, collection), [])
    },

    async [`${article} ${word} is found by all of its tags`](bench) {
      const { collection, info } = await create(bench)
      const found = await find(collection, (await ready(bench, group, info.id)).id)
      assert.deepEqual(found?.tags[Object.keys(bench.mark)[0]!], Object.values(bench.mark)[0])
      assert.deepEqual(await idsIn(bench, collection, { ...bench.mark, ...labelTags({ other: 'x' }) }), [])
      assert.deepEqual(await idsIn(bench, collection), [info.id])
      await bench.refused('a list of everything', () => listAll(collection.list({ tags: {} })), 'InvalidConfig')
    },

    async [`${article} ${word} that was deleted is gone, and deleting it again succeeds`](bench) {
      const { collection, info } = await create(bench)
      await ready(bench, group, info.id)
      await collection.delete(info.id)
      await goneFrom(bench, collection, info.id)
      await collection.delete(info.id)
      assert.deepEqual(await idsIn(bench, collection), [])
    },

    async [`${article} ${word} that is not ours is not deleted`](bench) {
      const collection = collectionOf(bench, group)
      const { controlPlane, region } = bench.subject.owner
      for (const tags of [{}, ownerTags({ controlPlane: `${controlPlane}-2`, region })]) {
        const id = await bench.fixture(group).plant({ ...tags, ...bench.mark })
        await bench.pictures()
        await bench.refused(`deleting a ${word} that is not ours`, () => collection.delete(id), 'Conflict')
        await bench.pictures()
        assert.ok(await find(collection, id), 'it is gone')
      }
    },
  })
}

export const snapshotBasics = collectionPromises('snapshot', 'snapshot')
export const imageBasics = collectionPromises('images', 'image', 'an')
export const networkBasics = collectionPromises('networks', 'network')
export const securityGroupBasics = collectionPromises('securityGroups', 'security group')
export const volumeBasics = collectionPromises('volumes', 'volume')
