import { VirtualWorld } from '@stead/world'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { KeptAddresses, LaunchSpec } from '../../launch-spec.ts'
import { createToken } from '../../tokens.ts'
import { SimulatedCloud } from '../cloud.ts'
import type { SimServer } from '../server/server.ts'
import { Network } from './resources.ts'

const world = new VirtualWorld({ seed: 1 })
let launched = 0

function accountOf(rates = {}) {
  const cloud = new SimulatedCloud({ world, seed: 1, rates })
  const account = cloud.account()
  const specOf = (keep?: KeptAddresses, more: object = {}): LaunchSpec => ({
    ...{ name: 'x', power: 'off', tags: {} },
    source: { type: 'machine', flavor: 'small', image: 'minimal', ...(keep && { keepAddresses: keep }), ...more },
  })
  const launch = (keep?: KeptAddresses, more?: object): SimServer => {
    const name = `x-${++launched}`
    const server = account.launch({
      ...{ token: createToken(name), fingerprint: '', name, tags: {} },
      spec: specOf(keep, more),
    })
    server.state = 'halted'
    return server
  }
  const remove = (server: SimServer) => account.vanish(server)
  const network = (cidr: string): string => {
    const name = `net-${++launched}`
    const request = { token: createToken(name), fingerprint: '', name }
    const made = account.networks.create(request, place => new Network(place, { name, tags: {}, cidr }))
    made.state = 'ready'
    return made.id
  }
  return { account, launch, remove, network, specOf }
}

const conflict = expect.objectContaining({ code: 'Conflict' })

describe('an address', () => {
  test('is of one at a time, and passes from one that is stopped', () => {
    const { account, launch, remove } = accountOf()
    const first = launch({ of: 'a' }, { publicIp: true })
    const { address, publicAddress, mac } = first
    const second = launch({ of: 'a' }, { publicIp: true })
    expect([second.address, second.publicAddress, second.mac]).toEqual([address, publicAddress, mac])
    expect(first.view()).toMatchObject({ address: undefined, publicAddress: undefined, mac: undefined })
    expect(account.byAddress(address!)).toBe(second)
    remove(second)
    expect(account.byAddress(address!)).toBeUndefined()
    first.start()
    expect(first.view()).toMatchObject({ address, publicAddress, mac })
  })

  test('is not taken from one that runs, and one on its way out is waited for', () => {
    const { launch } = accountOf()
    const first = launch({ of: 'a' })
    first.state = 'active'
    expect(() => launch({ of: 'a' })).toThrow(expect.objectContaining({ code: 'Conflict', retryable: false }))
    first.state = 'stopping'
    expect(() => launch({ of: 'a' })).toThrow(expect.objectContaining({ code: 'Conflict', retryable: true }))
    first.state = 'error'
    expect(launch({ of: 'a' }).address).toBeDefined()
  })

  test('that is asked for is had where it is free, in its network, and refused where it is not', () => {
    const { launch, network, remove } = accountOf()
    const small = network('10.20.0.0/29')
    const first = launch({ of: 'a', private: ['10.20.0.4'] }, { network: small })
    expect(first.address).toBe('10.20.0.4')
    expect(() => launch({ of: 'b', private: ['10.20.0.4'] }, { network: small })).toThrow(conflict)
    for (const wrong of ['10.20.0.1', '10.20.0.7', '10.30.0.4', 'here'])
      expect(() => launch({ of: 'b', private: [wrong] }, { network: small })).toThrow(
        expect.objectContaining({ code: 'InvalidConfig' }),
      )
    expect(() => launch({ of: 'a', private: ['10.20.0.5'] }, { network: small })).toThrow(conflict)
    expect(() => launch({ of: 'a' }, { network: network('10.21.0.0/29') })).toThrow(conflict)
    const others = Array.from({ length: 4 }, () => launch(undefined, { network: small }).address)
    expect(others).not.toContain('10.20.0.4')
    expect(() => launch(undefined, { network: small })).toThrow(expect.objectContaining({ code: 'Capacity' }))
    remove(first)
    expect(launch(undefined, { network: small }).address).toBe('10.20.0.4')
  })

  test('that is public is free again when none of those that share it wants one', () => {
    const { account, launch, remove } = accountOf()
    const first = launch({ of: 'a' }, { publicIp: true })
    const { publicAddress } = first
    const second = launch({ of: 'a' })
    expect(second.publicAddress).toBeUndefined()
    expect(() => launch({ of: 'b', public: [publicAddress!] })).toThrow(conflict)
    remove(first)
    expect(launch({ of: 'b', public: [publicAddress!] }, { publicIp: true }).publicAddress).toBe(publicAddress)
    expect(account.byAddress(second.address!)).toBe(second)
  })

  test('that a server has becomes one that it keeps, and ceases to be', () => {
    const { account, launch, specOf } = accountOf({ addressChange: 1 })
    const server = launch()
    const { address } = server
    const follow = (keep?: KeptAddresses) => {
      account.readdressFor(server, specOf(keep))
      server.spec = specOf(keep)
    }
    follow({ of: 'a' })
    server.start()
    expect(server.address).toBe(address)
    server.state = 'halted'
    const other = launch({ of: 'a' })
    expect(() => follow(undefined)).toThrow(conflict)
    account.vanish(other)
    follow(undefined)
    expect(server.address).toBe(address)
    server.start()
    expect(server.address).not.toBe(address)
  })
})

test('whatever is launched, started, stopped and removed, no address is of two, and none is lost', () => {
  const anyStep = fc.record({
    what: fc.constantFrom('launch', 'start', 'stop', 'remove', 'keep', 'release'),
    which: fc.nat(5),
    of: fc.constantFrom(undefined, 'a', 'b'),
    isPublic: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 30 }), steps => {
      const { account, launch, remove, network, specOf } = accountOf({ addressChange: 0.5 })
      const place = { network: network('10.40.0.0/28') }
      const live: SimServer[] = []
      const act = ({ what, which, of, isPublic }: (typeof steps)[number]) => {
        const server = live[which % Math.max(1, live.length)]
        const more = { ...place, publicIp: isPublic }
        if (what === 'launch') live.push(launch(of === undefined ? undefined : { of }, more))
        else if (!server) return
        else if (what === 'start') server.start()
        else if (what === 'stop') server.stop(true)
        else if (what === 'remove') live.splice(live.indexOf(server), 1).forEach(remove)
        else {
          const spec = specOf(what === 'keep' ? { of: of ?? 'c' } : undefined, place)
          account.readdressFor(server, spec)
          server.spec = spec
        }
      }
      for (const step of steps) {
        try {
          act(step)
        } catch (error) {
          expect(error).toMatchObject({ name: 'ProviderError' })
        }
        const held = live.flatMap(({ address, publicAddress }) => [address, publicAddress]).filter(Boolean)
        expect(new Set(held).size).toBe(held.length)
        for (const server of live) if (server.address) expect(account.byAddress(server.address)).toBe(server)
      }
      while (live.length > 0) remove(live.pop()!)
      // The whole network is free again.
      expect(Array.from({ length: 13 }, () => launch(undefined, place).address)).toHaveLength(13)
    }),
    { numRuns: 300 },
  )
})

test('starts are refused while another of the same name runs, and nothing of them is changed', () => {
  const { launch } = accountOf()
  const first = launch({ of: 'a' })
  const second = launch({ of: 'a' })
  second.state = 'active'
  expect(() => first.start()).toThrow(conflict)
  expect(first.state).toBe('halted')
})
