import { SimulatedCloud, simulatedProvider } from '@stead/provider-kit/simulated'
import { realWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { shop } from '../networks/tests/network-house.ts'
import { openRegionHouse, secretKey } from '../regions/tests/region-house.ts'
import { without } from '../regions/tests/without.ts'
import { content, openImageHouse, openSource, sha256 } from './tests/image-house.ts'

type Item = { readonly metadata: { readonly name: string; readonly projectId?: string } }

test('an image exists inside its project only, and in the region for whoever may read it there', async () => {
  const { house, image, until } = await openImageHouse()
  const { url } = await openSource()
  const { metadata } = await image('debian', { url })
  await image('waiting', { upload: { sizeBytes: 1, sha256: sha256(content) } })
  const ours = await house.account('acme', 'ours', { role: 'reader', project: 'shop' })
  const blind = await house.account('acme', 'blind')
  const theirs = await house.account('globex', 'theirs', { role: 'org-admin' })
  await until('images/debian', 'ready')
  for (const name of ['debian', metadata.id]) {
    await house.must(200, 'GET', `${shop}/images/${name}`, { token: ours.token })
    await house.must(404, 'GET', `/v1/projects/globex%2Fshop/images/${name}`, { token: theirs.token })
    await house.must(404, 'GET', `${shop}/images/${name}`, { token: theirs.token })
  }
  const listed = async (token: string, query = '') => {
    const { items, total } = await house.must(200, 'GET', `/v1/regions/sky/images${query}`, { token })
    expect(total).toBe(items.length)
    return (items as Item[]).map(({ metadata: { name, projectId } }) => `${name} ${projectId ?? 'of everybody'}`)
  }
  const everybodys = ['debian-12 of everybody', 'minimal of everybody']
  expect(await listed(ours.token)).toEqual([`debian ${metadata.projectId}`, ...everybodys])
  expect(await listed(ours.token, '?name=debian')).toEqual([`debian ${metadata.projectId}`])
  expect(await listed(blind.token)).toEqual(everybodys)
  expect(await listed(theirs.token)).toEqual(everybodys)
})

test('a name is taken once in a project, and a quota is kept', async () => {
  const { house, image, used } = await openImageHouse()
  const source = { upload: { sizeBytes: 1, sha256: sha256(content) } }
  await image('own', source)
  expect(await image('own', source, 409)).toMatchObject({ code: 'name_taken' })
  await house.must(201, 'POST', '/v1/projects/globex%2Fshop/images', { body: { name: 'own', spec: { source } } })
  await house.must(200, 'PUT', `${shop}/quotas`, { body: { limits: { images: 1 } } })
  expect(await image('other', source, 403)).toMatchObject({ code: 'quota_exceeded' })
  expect(await used('images')).toBe(1)
  await house.must(202, 'DELETE', `${shop}/images/own`)
  await house.gone(`${shop}/images/own`)
  expect(await used('images')).toBe(0)
})

test('only labels and the display name change, and nothing is ended with it', async () => {
  const { house, image } = await openImageHouse()
  await image('own', { upload: { sizeBytes: 1, sha256: sha256(content) } })
  const path = `${shop}/images/own`
  expect(
    await house.must(200, 'PATCH', path, { body: { labels: { os: 'none' }, spec: { region: 'sky' } } }),
  ).toMatchObject({
    metadata: { labels: { os: 'none' }, generation: 1 },
  })
  for (const spec of [{ architecture: 'aarch64' }, { source: { upload: { sizeBytes: 2 } } }])
    expect(await house.must(422, 'PATCH', path, { body: { spec } })).toMatchObject({ code: 'immutable' })
  expect((await house.must(200, 'GET', `${shop}/images?labels=os=none&region=sky`)).total).toBe(1)
  await house.must(400, 'DELETE', `${path}?cascade=true`)
})

test('what cannot work is refused before anything is made', async () => {
  const { house, image, used } = await openImageHouse()
  const announced = (sizeBytes: number) => ({ upload: { sizeBytes, sha256: sha256(content) } })
  expect(await image('large', announced(1_000_001), 422)).toMatchObject({
    errors: [{ path: '/spec/source/upload/sizeBytes', message: 'must be at most 1000000' }],
  })
  for (const source of [{}, { url: '' }, { ...announced(1), url: 'https://example.com' }, announced(0)])
    await image('wrong', source, 400)
  await house.must(200, 'PATCH', '/v1/regions/sky', { body: { spec: { mode: 'draining' } } })
  expect(await image('late', announced(1), 409)).toMatchObject({ code: 'invalid_state' })
  expect(await used('images')).toBe(0)
})

test('a region that takes no images says so', async () => {
  const cloud = new SimulatedCloud({ world: realWorld })
  cloud.addKey(secretKey, 'default')
  const { house, region } = await openRegionHouse(cloud, {
    providers: [
      without(
        'images',
        simulatedProvider(() => cloud),
        'closed',
      ),
    ],
  })
  await region('sky', { provider: 'closed' })
  const source = { upload: { sizeBytes: 1, sha256: sha256(content) } }
  expect(await house.must(501, 'POST', `${shop}/images`, { body: { name: 'own', spec: { source } } })).toMatchObject({
    code: 'unsupported',
    detail: 'the region sky takes no images',
  })
})
