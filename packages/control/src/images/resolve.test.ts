import { changeSet } from '@stead/engine'
import { expect, test } from 'vitest'
import type { Caller, Place } from '../identity/caller.ts'
import { nobody } from '../identity/caller.ts'
import type { OfferedImage } from '../regions/catalog/offered.ts'
import { Region } from '../regions/model.ts'
import { Image, type ImageStatus } from './model.ts'
import { resolveImage } from './resolve.ts'
import { content, openImageHouse, sha256 } from './tests/image-house.ts'

const minimal: OfferedImage = {
  ...{ id: 'ami-1', name: 'minimal', labels: {}, deprecated: false, architecture: 'x86_64', virtualization: null },
  ...{ sizeBytes: 100, minDiskGiB: 2, gpu: null, os: null },
}

/** An image `own` in whatever state, and a way to ask for images in its region. */
async function withOwn(status: Partial<ImageStatus>, name = 'own') {
  const { house, image, region } = await openImageHouse()
  const { metadata } = await image(name, { upload: { sizeBytes: 1, sha256: sha256(content) } })
  await region('other')
  const everything = house.engine.cache.platform()
  const regions = Object.fromEntries(
    everything.list<Region>({ kind: Region.kind }).items.map(each => [each.name, each]),
  )
  const set = () => {
    const kept = everything.get<Image>(Image.kind, metadata.id)!
    return changeSet(house.world).update<unknown, ImageStatus>(kept, { status: { ...kept.status, ...status } })
  }
  await expect
    .poll(() =>
      house.engine.commit(set()).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true)
  const { organizationId, projectId } = metadata
  const place: Place = { type: 'project', organizationId, projectId }
  const ask = (text: string, { in: named = 'sky', may = true, project = projectId } = {}) => {
    const caller: Caller = { ...nobody, may: () => may }
    const objects = house.engine.cache.inProject(project)
    const offered = { images: [minimal] }
    return resolveImage(text, { caller, objects, place, region: regions[named]!, field: '/image', offered })
  }
  return { ask, id: metadata.id as string }
}

const ready = {
  state: 'ready',
  backendId: 'img-7',
  observedGeneration: 1,
  staged: { sizeBytes: 1, sha256: '' },
} as const

test('an image is meant by id or name: the own first, then everybody’s', async () => {
  const { ask, id } = await withOwn(ready)
  for (const text of ['own', id])
    expect(ask(text)).toMatchObject({ backendId: 'img-7', name: 'own', own: { id }, architecture: null, sizeBytes: 1 })
  for (const text of ['minimal', 'ami-1']) expect(ask(text)).toEqual({ ...pick, backendId: 'ami-1', name: 'minimal' })
  expect(() => ask('nothing')).toThrow('there is no image "nothing" here')
})
const pick = { architecture: 'x86_64', sizeBytes: 100, minDiskGiB: 2 }

test('an own one stands before another of the same name, where it is', async () => {
  const { ask } = await withOwn(ready, 'minimal')
  expect(ask('minimal').own).toBeDefined()
  expect(ask('minimal', { in: 'other' })).toMatchObject({ backendId: 'ami-1' })
})

test('one that the caller may not read, or of another project, does not exist', async () => {
  const { ask, id } = await withOwn(ready)
  for (const text of ['own', id]) {
    expect(() => ask(text, { may: false })).toThrow('there is no image')
    expect(() => ask(text, { project: 'prj_other' })).toThrow('there is no image')
  }
})

test('one that is in another region, not there yet, or there no more is refused with why', async () => {
  const { ask } = await withOwn(ready)
  expect(() => ask('own', { in: 'other' })).toThrow('is in another region')
})

test.each<[Partial<ImageStatus>, string, string]>([
  [{}, 'not_ready', 'pending'],
  [{ state: 'failed', reason: 'no', observedGeneration: 1 }, 'invalid_state', 'failed'],
  [{ state: 'lost', backendId: 'x' }, 'invalid_state', 'lost'],
])('one in the state %j is %s', async (status, code, word) => {
  const { ask } = await withOwn(status)
  expect(() => ask('own')).toThrow(expect.objectContaining({ code, message: expect.stringContaining(word) }))
})
