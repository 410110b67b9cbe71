import { expect, test } from 'vitest'
import { openRegionHouse, simulatedCloud } from '../tests/region-house.ts'

type Items = { items: { metadata: { name: string } }[]; nextCursor: string | null; total: number }
const names = ({ items }: Items) => items.map(({ metadata }) => metadata.name)

test('flavors and images of a region are listed, by pages and by name', async () => {
  const { house, region } = await openRegionHouse()
  await region('east', {
    flavors: { tiny: { cpuMillis: 100, memoryMiB: 64 }, large: { hidden: true }, small: { displayName: 'Small' } },
    images: { minimal: { deprecated: true, labels: { os: 'none' } } },
  })
  const list = (path: string): Promise<Items> => house.must(200, 'GET', `/v1/regions/east/${path}`)
  const flavors = await list('flavors')
  expect(flavors).toMatchObject({ total: 3, nextCursor: null, asOf: expect.stringMatching(/Z$/) })
  expect(flavors.items).toMatchObject([
    { metadata: { id: 'medium', name: 'medium', labels: {} }, spec: { cpuMillis: 2_000, diskGiB: 20, gpu: null } },
    { metadata: { name: 'small', displayName: 'Small' }, spec: { architecture: 'x86_64' } },
    { metadata: { name: 'tiny' }, spec: { cpuMillis: 100, memoryMiB: 64, diskGiB: null } },
  ])
  expect((await list('images')).items).toMatchObject([
    { metadata: { id: 'debian-12', name: 'debian-12' }, spec: { minDiskGiB: 2 }, status: { deprecated: false } },
    { metadata: { name: 'minimal', labels: { os: 'none' } }, status: { deprecated: true } },
  ])
  expect(names(await list('flavors?name=small'))).toEqual(['small'])
  expect(names(await list('images?name=deb*'))).toEqual(['debian-12'])
  const pages: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const page: Items = await list(`flavors?limit=2${cursor && `&cursor=${cursor}`}`)
    pages.push(names(page).join())
    cursor = page.nextCursor
  }
  expect(pages).toEqual(['medium,small', 'tiny'])
  await house.must(400, 'GET', '/v1/regions/east/flavors?cursor=nonsense')
  // What the operator says of them is changed one by one.
  await house.must(200, 'PATCH', '/v1/regions/east', { body: { spec: { flavors: { large: null } } } })
  expect(names(await list('flavors'))).toEqual(['large', 'medium', 'small', 'tiny'])
  const odd = { spec: { flavors: { tiny: { backend: 'small' } } } }
  expect(await house.must(422, 'PATCH', '/v1/regions/east', { body: odd })).toMatchObject({
    errors: [{ path: '/spec/flavors/tiny' }],
  })
})

test('they are for whoever sees the region, without the names of the backend behind them', async () => {
  const { house, region } = await openRegionHouse()
  await region('for-acme', { organizations: ['acme'], flavors: { standard: { backend: 'large' } } })
  const acme = await house.account('acme', 'robot', { role: 'reader', project: 'shop' })
  const globex = await house.account('globex', 'robot', { role: 'org-admin' })
  for (const what of ['flavors', 'images']) {
    await house.must(200, 'GET', `/v1/regions/for-acme/${what}`, { token: acme.token })
    await house.must(404, 'GET', `/v1/regions/for-acme/${what}`, { token: globex.token })
  }
  const { items } = await house.must(200, 'GET', '/v1/regions/for-acme/flavors?name=standard', { token: acme.token })
  expect(items).toMatchObject([{ spec: { cpuMillis: 8_000 } }])
  expect(JSON.stringify(items)).not.toContain('large')
})

test('a backend that is down answers with why, and when to try again', async () => {
  const cloud = simulatedCloud()
  cloud.outage({ kind: 'outage' })
  const { house, region } = await openRegionHouse(cloud)
  await region('east')
  const answer = await house.call('GET', '/v1/regions/east/flavors')
  expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  expect(answer.body.detail).toContain('the backend does not answer')
  expect(answer.headers.get('retry-after')).toBe('5')
})
