import { changeSet } from '@stead/engine'
import { days } from '@stead/world'
import { expect, test } from 'vitest'
import { IdentityHouse } from './tests/house.ts'

test('what has expired is forgotten: invitations at once, tokens a month later, and nothing that lives on', async () => {
  const house = await IdentityHouse.open()
  await house.organization('acme')
  const { tokenId } = await house.account('acme', 'ci')
  const { metadata } = await house.must(201, 'POST', '/v1/organizations/acme/invitations', {
    body: { email: 'late@example.com', role: 'reader' },
  })
  const everything = house.engine.cache.platform()
  /** Its queue waits by a clock that does not jump, so it is told to look again. */
  const look = async (kind: string, id: string) => {
    const object = everything.get(kind, id)!
    await house.engine.commit(changeSet(house.world).update(object, { labels: { looked: String(house.world.now()) } }))
  }
  const isGone = (kind: string, id: string) =>
    expect.poll(() => everything.get(kind, id) === undefined, { interval: 5 }).toBe(true)
  house.pass(days(20))
  await look('token', tokenId)
  await look('invitation', metadata.id)
  await isGone('invitation', metadata.id)
  expect(everything.get('token', tokenId)).toBeDefined()
  house.pass(days(20))
  await look('token', tokenId)
  await isGone('token', tokenId)
  const admins = everything.list({ kind: 'token' }).items
  expect(admins).toHaveLength(1)
  await house.must(200, 'GET', '/v1/whoami')
  const told = await house.must(200, 'GET', '/v1/organizations/acme/audit?actor=invitation-expiry')
  expect(told.items).toMatchObject([{ action: 'invitations:delete', object: { id: metadata.id }, result: 'done' }])
})
