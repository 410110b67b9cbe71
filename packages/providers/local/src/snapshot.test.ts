import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createToken, type ImageInfo, ProviderError, resourceTags } from '@stead/provider-kit'
import { plainService } from '@stead/provider-kit/contract'
import { describeWith } from '@stead/testing'
import { newId, realWorld as world } from '@stead/world'
import { expect, onTestFinished, test } from 'vitest'
import { owner, services, shell, TestRegion } from './tests/region.ts'
import { rootArchive, sha256 } from './tests/root-archive.ts'

describeWith('bubblewrap', 'a snapshot', () => {
  async function open() {
    const region = await TestRegion.open({ isolation: 'full' })
    onTestFinished(() => region.close())
    const content = rootArchive('first')
    const named = () => ({ name: 'root', tags: resourceTags(owner, newId(world, 'img')) })
    const token = () => createToken(newId(world, 'img'))
    const base = await region.provider.images!.create(
      {
        ...named(),
        ...{ sizeBytes: content.length, sha256: sha256(content), architecture: 'x86_64' },
        async *open() {
          yield content
        },
      },
      token(),
    )
    const take = (server: string): Promise<ImageInfo> =>
      region.provider.snapshot!.create({ ...named(), server }, token())
    return { region, base, take }
  }

  const onImage = (image: string, more: object = {}) =>
    services({ main: plainService(image, { command: ['/bin/sh', '-c', 'exec sleep 600'], ...more }) })

  test('has what the service wrote, and nothing of what was laid there for it', async () => {
    const { region, base, take } = await open()
    const secret = Buffer.from('hunter2-laid-there')
    const files = [{ path: '/etc/app/key', content: new Uint8Array(secret), secret: true }]
    const { id } = await region.running(onImage(base.id, { files }))
    const root = region.disk(id, 'main', 'root')
    expect((await region.exec(id, ['cat', '/etc/app/key'])).text).toBe(secret.toString())
    writeFileSync(join(root, 'etc/app/own'), 'written inside')
    const image = await take(id)
    const captured = join(region.directory, 'images', image.id, 'root')
    expect(readFileSync(join(captured, 'etc/app/own'), 'utf8')).toBe('written inside')
    expect(() => readFileSync(join(captured, 'etc/app/key'))).toThrow('ENOENT')
    const copy = await region.running(onImage(image.id))
    expect((await region.exec(copy.id, ['cat', '/etc/app/own', '/which'])).text).toBe('written insidefirst')
  })

  test('holds nothing of the machine, wherever the service lets its links point', async () => {
    const { region, base, take } = await open()
    const { id } = await region.running(onImage(base.id))
    const root = region.disk(id, 'main', 'root')
    const target = join(region.directory, 'key-of-the-house')
    writeFileSync(target, 'of the house', { mode: 0o600 })
    onTestFinished(() => rmSync(target, { force: true }))
    symlinkSync(region.directory, join(root, 'way-out'))
    symlinkSync(target, join(root, 'straight-out'))
    const image = await take(id)
    const copy = await region.running(onImage(image.id))
    for (const path of ['/way-out/key-of-the-house', '/straight-out'])
      expect((await region.exec(copy.id, ['cat', path])).text).not.toContain('of the house')
  })

  test('of what runs on the files of the machine is refused, and says why', async () => {
    const { region, take } = await open()
    const { id } = await region.running(services({ main: shell('exec sleep 600') }))
    const refused = await take(id).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(ProviderError)
    expect(refused).toMatchObject({ code: 'InvalidConfig', message: expect.stringContaining('no root file system') })
    expect(region.images()).toHaveLength(1)
  })
})
