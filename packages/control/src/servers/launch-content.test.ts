import { changeSet, Sealer, SealKey } from '@stead/engine'
import type { LaunchSpec } from '@stead/provider-kit'
import { VirtualWorld } from '@stead/world'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeLaunch, encodeLaunch, sealLaunch, unsealLaunch } from './launch-content.ts'

const world = new VirtualWorld({ seed: 1 })
const sealer = new Sealer(world, new SealKey(Buffer.alloc(32, 3)))

const launch = (source: LaunchSpec['source'], tags: Record<string, string> = {}): LaunchSpec => ({
  name: 'web',
  power: 'on',
  tags,
  source,
})
const machine = (image: string) =>
  launch({ type: 'machine', flavor: 'small', image, userData: new Uint8Array(Buffer.from(image)) })

const anything = fc.anything({
  maxDepth: 3,
  withNullPrototype: false,
  values: [fc.string(), fc.integer(), fc.boolean()],
})
const awkwardKey = fc.constantFrom('$bytes', '$$bytes', '__proto__', 'bytes', '$bytesx')
const values = fc.oneof(
  anything,
  fc.dictionary(awkwardKey, fc.oneof(fc.string(), fc.dictionary(awkwardKey, fc.string()))),
)

test('what is read back is what was written, bytes and awkward keys too', () =>
  fc.assert(
    fc.property(values, fc.uint8Array(), (helmValues, bytes) => {
      const plain = JSON.parse(JSON.stringify(helmValues ?? null))
      const helm = launch({ type: 'helm', repo: 'r', chart: 'c', version: '1', values: plain })
      expect(decodeLaunch(encodeLaunch(helm))).toEqual(helm)
      const vm = launch({ type: 'machine', flavor: 'small', image: 'debian', userData: new Uint8Array(bytes) })
      expect(decodeLaunch(encodeLaunch(vm))).toEqual(vm)
    }),
  ))

test('the order of keys does not matter', () => {
  const one = launch({ type: 'machine', flavor: 'small', image: 'debian' }, { a: '1', b: '2' })
  const other = launch({ image: 'debian', flavor: 'small', type: 'machine' }, { b: '2', a: '1' })
  expect(encodeLaunch(other)).toEqual(encodeLaunch(one))
})

test('content is sealed once, and opened by the name it was given', async () => {
  const server = { kind: 'server', id: 'srv_1' }
  const set = changeSet(world)
  const sealed = sealLaunch(set, sealer, server, machine('a'))
  expect(set.blobs).toHaveLength(1)
  expect(Buffer.from(set.blobs[0]!.sealed).includes('small')).toBe(false)
  const store = { blob: async () => set.blobs[0]!.sealed }
  expect(await unsealLaunch({ store, sealer }, server, sealed.sealed)).toEqual(machine('a'))

  const same = changeSet(world)
  expect(sealLaunch(same, sealer, { ...server, spec: { launch: sealed } }, machine('a'))).toBe(sealed)
  expect(same.blobs).toEqual([])
})

test('what is replaced goes, but for what the backend is at or is being brought to', () => {
  const spec = { launch: sealLaunch(changeSet(world), sealer, { kind: 'server', id: 'srv_1' }, machine('a')) }
  const { sealed } = spec.launch
  const dropped = (status: Parameters<typeof sealLaunch>[2]['status']) => {
    const set = changeSet(world)
    sealLaunch(set, sealer, { kind: 'server', id: 'srv_1', spec, ...(status && { status }) }, machine('b'))
    return set.dropBlobs.map(({ hash }) => hash)
  }
  const at = (launch: string) => ({ launch, power: 'on' as const, restart: 0, rebuild: 0 })
  expect(dropped(undefined)).toEqual([sealed])
  expect(dropped({ applied: at('other') })).toEqual([sealed])
  expect(dropped({ applied: at(sealed) })).toEqual([])
  expect(dropped({ applied: at('other'), applying: at(sealed) })).toEqual([])
})
