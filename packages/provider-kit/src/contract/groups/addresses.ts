import assert from 'node:assert/strict'
import type { KeptAddresses } from '../../launch-spec.ts'
import type { Addresses, ServerInfo } from '../../server-info.ts'
import type { Bench } from '../bench.ts'
import { promises } from '../promise.ts'

/** A name that nobody has used. */
const someone = (bench: Bench): string => `contract-${bench.token()}`

const source = (bench: Bench, keep: KeptAddresses) => bench.fixture('addresses').source(keep)

const running = (bench: Bench, keep: KeptAddresses): Promise<ServerInfo> =>
  bench.running({ source: source(bench, keep) })

/** What must stay. A MAC may be the server's own. */
const listed = ({ private: own, public: outside }: Addresses) => ({ private: [...own], public: [...outside] })

async function seen(bench: Bench, id: string): Promise<Addresses> {
  await bench.pictures()
  return (await bench.provider.describe(id)).addresses
}

async function stop(bench: Bench, id: string): Promise<void> {
  await bench.provider.stop(id)
  await bench.until(id, 'stopped')
}

async function start(bench: Bench, id: string): Promise<ServerInfo> {
  await bench.provider.start(id)
  await bench.pictures()
  return bench.until(id, 'running')
}

async function remove(bench: Bench, id: string): Promise<void> {
  await bench.provider.terminate(id)
  await bench.untilGone(id)
}

async function refusedLaunch(bench: Bench, keep: KeptAddresses): Promise<void> {
  const { spec, token } = bench.order({ source: source(bench, keep) })
  const before = await bench.ids()
  await bench.refused('a launch', () => bench.provider.launch(spec, token, { fresh: true }), 'Conflict')
  assert.deepEqual(await bench.ids(), before, 'it left something behind')
}

export const addressPromises = promises('addresses', {
  async 'what keeps its addresses has the same after a stop'(bench) {
    const { id, addresses } = await running(bench, { of: someone(bench) })
    assert.ok(addresses.private.length > 0, 'it has no address')
    await stop(bench, id)
    assert.deepEqual(listed((await start(bench, id)).addresses), listed(addresses))
  },

  async 'kept addresses go from one that is stopped to the next'(bench) {
    const of = someone(bench)
    const first = await running(bench, { of })
    const kept = listed(first.addresses)
    await stop(bench, first.id)
    const second = await running(bench, { of, ...kept })
    assert.deepEqual(listed(second.addresses), kept)
    const left = await seen(bench, first.id)
    const both = left.private.filter(address => kept.private.includes(address))
    assert.deepEqual(both, [], 'two have the same')
  },

  async 'kept addresses go back to one that is started again when the next is gone'(bench) {
    const of = someone(bench)
    const first = await running(bench, { of })
    await stop(bench, first.id)
    const second = await running(bench, { of })
    await remove(bench, second.id)
    assert.deepEqual(listed((await start(bench, first.id)).addresses), listed(first.addresses))
  },

  async 'kept addresses are not taken by a launch from one that runs'(bench) {
    const of = someone(bench)
    const { id, addresses } = await running(bench, { of })
    await refusedLaunch(bench, { of })
    assert.deepEqual(listed(await seen(bench, id)), listed(addresses))
  },

  async 'kept addresses are not taken by a start from one that runs'(bench) {
    const of = someone(bench)
    const first = await running(bench, { of })
    await stop(bench, first.id)
    const second = await running(bench, { of })
    await bench.refused('a start', () => bench.provider.start(first.id), 'Conflict')
    assert.deepEqual(listed(await seen(bench, second.id)), listed(second.addresses))
    assert.equal(await bench.stateOf(first.id), 'stopped')
  },

  async 'an address that another has is refused'(bench) {
    const { id, addresses } = await running(bench, { of: someone(bench) })
    await stop(bench, id)
    await refusedLaunch(bench, { of: someone(bench), private: addresses.private })
  },

  async 'an address that is free again can be asked for'(bench) {
    const { id, addresses } = await running(bench, { of: someone(bench) })
    await remove(bench, id)
    const next = await running(bench, { of: someone(bench), private: addresses.private })
    assert.deepEqual(next.addresses.private, addresses.private)
  },
})
