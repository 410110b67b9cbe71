import { isProviderError } from '@stead/provider-kit'
import { describe, expect, test } from 'vitest'
import { plant } from './adopting/tests/plant.ts'
import { InstanceHouse, machine } from './tests/house.ts'

const keeping = (more: object = {}) => machine({ keepAddresses: true, publicIp: true, ...more })
const patch = (part: object) => ({ body: { spec: { source: { machine: part } } } })
const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
const rekeyed = patch({ sshKeys: [key] })

/** What is in the cloud, by the address that it has. */
const holders = ({ cloud }: InstanceHouse, address: string) =>
  [...cloud.account().servers].filter(server => server.view().address === address)

describe('a machine that keeps its addresses', () => {
  test('has the same after it was stopped, in a cloud that changes those of others', async () => {
    const house = await InstanceHouse.open()
    house.cloud.faults.rates.addressChange = 1
    const { status } = await house.running('vm-1', keeping())
    const other = (await house.running('vm-2', machine())).status.addresses.private
    for (const name of ['vm-1', 'vm-2']) {
      await house.must(202, 'POST', `/${name}/stop`)
      await house.until(name, 'stopped')
    }
    expect((await house.get('vm-1')).status.addresses).toEqual(status.addresses)
    for (const name of ['vm-1', 'vm-2']) await house.must(202, 'POST', `/${name}/start`)
    expect((await house.until('vm-1', 'running', '&ready=true')).status.addresses).toEqual(status.addresses)
    expect((await house.until('vm-2', 'running', '&ready=true')).status.addresses.private).not.toEqual(other)
  })

  test('is replaced by one with the same, after a plan that says what that costs', async () => {
    const house = await InstanceHouse.open()
    const { metadata, status } = await house.running('vm-1', keeping())
    const [before] = house.backends()
    const plan = await house.must(200, 'POST', '/vm-1/plan', rekeyed)
    expect(plan).toMatchObject({
      ...{ effect: 'replace', loses: ['disk', 'localState'], keeps: ['addresses'], interrupts: true },
    })
    const refused = await house.must(409, 'PATCH', '/vm-1', rekeyed)
    expect(refused).toMatchObject({ code: 'replacement_required', plan })
    expect(refused.detail).toContain('it keeps: addresses; it does not serve meanwhile')
    const { operation } = await house.must(202, 'PATCH', '/vm-1?allow=replace', rekeyed)
    expect(await house.ended(operation.id)).toMatchObject({ type: 'replace', state: 'succeeded' })
    const after = await house.get('vm-1')
    expect(after.status).toMatchObject({ phase: 'running', ready: true, addresses: status.addresses })
    expect(house.backends().map(({ id }) => id)).not.toContain(before!.id)
    expect(holders(house, status.addresses.private[0])).toHaveLength(1)
    expect(house.serversOf(metadata.id)).toHaveLength(1)
  })

  test('is started again with them when its successor does not come up, and the operation says so', async () => {
    const house = await InstanceHouse.open()
    const { metadata, status } = await house.running('vm-1', keeping())
    const [before] = house.serversOf(metadata.id)
    house.cloud.script('bootFailure', { times: 1 })
    const { operation } = await house.must(202, 'PATCH', '/vm-1?allow=replace', rekeyed)
    const { state, error } = await house.ended(operation.id)
    expect([state, error.code]).toEqual(['failed', 'ReplacementFailed'])
    expect(error.message).toMatch(/^the old one is as it was, with its addresses: /)
    const back = await house.until('vm-1', 'running')
    expect(back.status).toMatchObject({ addresses: status.addresses, conditions: [{ reason: 'ReplacementFailed' }] })
    expect(house.serversOf(metadata.id).map(({ id }) => id)).toEqual([before!.id])
    const retried = await house.must(202, 'PATCH', '/vm-1?allow=replace', { body: {} })
    expect(await house.ended(retried.operation.id)).toMatchObject({ state: 'succeeded' })
    expect((await house.get('vm-1')).status).toMatchObject({ ready: true, addresses: status.addresses })
  })

  test('leaves them to others when it is gone', async () => {
    const house = await InstanceHouse.open()
    const { status } = await house.running('vm-1', keeping())
    const address = status.addresses.private[0]
    await house.must(202, 'DELETE', '/vm-1')
    await house.gone('vm-1')
    expect(house.cloud.account().byAddress(address)).toBeUndefined()
    await expect.poll(() => isFree(house, address)).toBe(true)
  })

  test('may do so from now on without being touched, and no longer', async () => {
    const house = await InstanceHouse.open()
    house.cloud.faults.rates.addressChange = 1
    const { metadata, status } = await house.running('vm-1', machine())
    const [server] = house.serversOf(metadata.id)
    const begun = await house.must(202, 'PATCH', '/vm-1', patch({ keepAddresses: true }))
    expect(await house.ended(begun.operation.id)).toMatchObject({ type: 'update', state: 'succeeded' })
    const { operation } = await house.must(202, 'PATCH', '/vm-1?allow=replace', rekeyed)
    await house.ended(operation.id)
    expect((await house.get('vm-1')).status.addresses).toEqual(status.addresses)
    expect(house.serversOf(metadata.id)[0]!.id).not.toBe(server!.id)
    const ended = await house.must(202, 'PATCH', '/vm-1', patch({ keepAddresses: false }))
    expect(await house.ended(ended.operation.id)).toMatchObject({ state: 'succeeded' })
    expect((await house.must(200, 'POST', '/vm-1/plan', patch({ sshKeys: [] }))).loses).toContain('addresses')
  })

  test('is not replaced before they are its own', async () => {
    const house = await InstanceHouse.open()
    await house.running('vm-1', machine())
    await house.must(202, 'PATCH', '/vm-1', { body: { spec: { paused: true } } })
    await house.must(202, 'PATCH', '/vm-1', patch({ keepAddresses: true }))
    expect(await house.must(409, 'PATCH', '/vm-1?allow=replace', rekeyed)).toMatchObject({ code: 'not_ready' })
    expect((await house.must(200, 'POST', '/vm-1/plan', rekeyed)).loses).toContain('addresses')
    const { operation } = await house.must(202, 'PATCH', '/vm-1', { body: { spec: { paused: false } } })
    await house.ended(operation.id)
    await house.must(202, 'PATCH', '/vm-1?allow=replace', rekeyed)
  })
})

test('a region that cannot keep addresses says so when that is asked for', async () => {
  const house = await InstanceHouse.open({ profile: { keepsAddresses: false } })
  const refusal = {
    code: 'unsupported',
    errors: [{ path: '/spec/source/machine/keepAddresses', message: 'is not supported in this region' }],
  }
  expect(await house.must(501, 'POST', '', { body: { name: 'vm-1', spec: keeping() } })).toMatchObject(refusal)
  await house.running('vm-1', machine())
  expect(await house.must(501, 'PATCH', '/vm-1', patch({ keepAddresses: true }))).toMatchObject(refusal)
  expect(await house.must(200, 'POST', '/vm-1/plan', rekeyed)).toMatchObject({
    loses: ['disk', 'addresses', 'localState'],
    keeps: [],
    interrupts: true,
  })
})

test('what is adopted comes with its own addresses, and keeps those from when that is asked for', async () => {
  const house = await InstanceHouse.open()
  const backendId = await plant(house.cloud, { Name: 'handmade' })
  const body = { region: 'sim', backendId, name: 'vm-1' }
  const said = { ...body, spec: machine({ keepAddresses: true }) }
  expect(await house.must(422, 'POST', '/adopt', { body: said })).toMatchObject({
    errors: [{ path: '/spec/source/machine/keepAddresses' }],
  })
  await house.must(201, 'POST', '/adopt', { body })
  const { addresses } = (await house.until('vm-1', 'running', '&ready=true')).status
  const kept = await house.must(202, 'PATCH', '/vm-1', patch({ keepAddresses: true }))
  await house.ended(kept.operation.id)
  const { operation } = await house.must(202, 'PATCH', '/vm-1?allow=replace', rekeyed)
  expect(await house.ended(operation.id)).toMatchObject({ state: 'succeeded' })
  expect((await house.get('vm-1')).status.addresses).toEqual(addresses)
})

/** Whether somebody else may have it. */
async function isFree({ cloud }: InstanceHouse, address: string): Promise<boolean> {
  const request = { token: 'x' as never, fingerprint: '', name: 'x', tags: {} }
  const source = { type: 'machine' as const, flavor: 'small', image: 'minimal' }
  const kept = { ...source, keepAddresses: { of: 'somebody', private: [address] } }
  try {
    cloud.account().launch({ ...request, spec: { name: 'x', source: kept, power: 'off', tags: {} } })
    return true
  } catch (error) {
    if (isProviderError(error, 'Conflict')) return false
    throw error
  }
}
