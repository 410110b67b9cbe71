import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import { expect, test } from 'vitest'
import { IdentityHouse } from '../identity/tests/house.ts'
import { unseal } from '../sealed/model.ts'
import type { SshAuthority } from './model.ts'
import { type PublicKey, readPublicKey } from './public-key.ts'

const shop = '/v1/projects/acme%2Fshop'
const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl'

test('an external authority is its public key in one form, and never another', async () => {
  const house = await IdentityHouse.openWithAcme()
  const spec = { publicKey: `${key}   ann@home \n` }
  const made = await house.must(201, 'POST', `${shop}/ssh-authorities`, { body: { name: 'ca', spec } })
  expect(made.spec).toEqual({ publicKey: `${key} ann@home` })
  expect(made.status).toEqual({
    publicKey: `${key} ann@home`,
    fingerprint: 'SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU',
  })
  const path = `${shop}/ssh-authorities/ca`
  await house.must(200, 'PATCH', path, { body: { labels: { of: 'ann' }, spec } })
  await house.must(422, 'PATCH', path, { body: { spec: { publicKey: `${key} bob` } } })
  await house.must(422, 'PATCH', path, { body: { spec: { managed: true } } })
  await house.must(202, 'DELETE', path)
  await house.gone(path)
  await house.must(201, 'POST', `${shop}/ssh-authorities`, { body: { name: 'ca', spec } })
})

test('a managed authority has a key of its own, whose private half is nowhere to be read', async () => {
  const house = await IdentityHouse.openWithAcme()
  const body = { name: 'ours', spec: { managed: true } }
  const made = await house.must(201, 'POST', `${shop}/ssh-authorities`, { body })
  expect(made.status.publicKey).toMatch(/^ssh-ed25519 AAAA\S+ ours$/)
  expect(Object.keys(made.status).sort()).toEqual(['fingerprint', 'publicKey'])
  const stored = house.engine.cache.platform().get<SshAuthority>('ssh-authority', made.metadata.id)!
  const { sealer } = house.registering()
  const privateKey = Buffer.from(await unseal({ store: house.store, sealer }, stored, stored.status.privateKey!))
  expect(await house.store.blob(stored, stored.status.privateKey!.sealed)).not.toContain(privateKey)
  const { blob } = readPublicKey(made.status.publicKey) as PublicKey
  const publicKey = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: blob.subarray(-32).toString('base64url') },
    format: 'jwk',
  })
  const signature = sign(
    null,
    Buffer.from('hello'),
    createPrivateKey({ key: privateKey, format: 'der', type: 'pkcs8' }),
  )
  expect(verify(null, Buffer.from('hello'), publicKey, signature)).toBe(true)
  const told = JSON.stringify([
    await house.must(200, 'GET', `${shop}/ssh-authorities/ours`),
    await house.must(200, 'GET', `${shop}/ssh-authorities/ours/events`),
    await house.must(200, 'GET', '/v1/organizations/acme/audit'),
  ])
  expect(told).not.toContain(stored.status.privateKey!.sealed)
})

test.each([
  [{}, '/spec'],
  [{ managed: false }, '/spec'],
  [{ managed: true, publicKey: key }, '/spec'],
  [{ publicKey: 'ssh-rsa AAAA' }, '/spec/publicKey'],
])('%j is refused', async (spec, path) => {
  const house = await IdentityHouse.openWithAcme()
  const refused = await house.must(422, 'POST', `${shop}/ssh-authorities`, { body: { name: 'ca', spec } })
  expect(refused).toMatchObject({ code: 'invalid', errors: [{ path }] })
})
