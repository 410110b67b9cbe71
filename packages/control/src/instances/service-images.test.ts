import { expect, test } from 'vitest'
import { content, putContent, sha256 } from '../images/tests/image-house.ts'
import { unsealLaunch } from '../servers/launch-content.ts'
import { InstanceHouse, services } from './tests/house.ts'

/** A house whose project has an image of its own in the region. */
async function open() {
  const house = await InstanceHouse.open()
  const upload = { sizeBytes: content.length, sha256: sha256(content) }
  const images = '/v1/projects/acme%2Fshop/images'
  const body = { name: 'rootfs', spec: { region: 'sim', source: { upload } } }
  const { metadata } = await house.house.must(201, 'POST', images, { body })
  await putContent(house.house, 'rootfs', content)
  const path = `${images}/rootfs`
  await expect.poll(async () => (await house.house.must(200, 'GET', path)).status.state).toBe('ready')
  return {
    house,
    path,
    id: metadata.id as string,
    backendId: [...house.cloud.account().images.roster][0]!.id as string,
  }
}

test('services are made of images of their project by name, and keep them from being deleted', async () => {
  const { house, path, id, backendId } = await open()
  const made = await house.running('web-1', services({ image: 'rootfs' }))
  expect(made.spec.source.services.services.web.image).toBe(id)
  const [server] = house.serversOf(made.metadata.id)
  const { sealer } = house.house.registering()
  const { source } = await unsealLaunch({ store: house.house.store, sealer }, server!, server!.spec.launch.sealed)
  expect(source).toMatchObject({ services: { web: { image: backendId } } })
  expect(await house.house.must(409, 'DELETE', path)).toMatchObject({ code: 'in_use' })
  await house.must(202, 'DELETE', '/web-1')
  await house.gone('web-1')
  await house.house.must(202, 'DELETE', path)
})

test('what the backend calls an image of another project is no image here, and neither is an id of nothing', async () => {
  const { house, id, backendId } = await open()
  await house.house.must(201, 'POST', '/v1/organizations/acme/projects', { body: { name: 'other' } })
  for (const image of [backendId, id, 'img_nothing'])
    await house.house.must(404, 'POST', '/v1/projects/acme%2Fother/instances', {
      body: { name: 'thief', spec: { region: 'sim', ...services({ image }) } },
    })
})
