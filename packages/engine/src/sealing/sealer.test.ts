import { realWorld } from '@stead/world'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bytes } from '../conformance/fixture.suite.ts'
import { SealError } from './seal-error.ts'
import { SealKey } from './seal-key.ts'
import { Sealer } from './sealer.ts'

const newKey = () => new SealKey(realWorld.randomBytes(32))
const failureOf = (act: () => unknown) => {
  try {
    act()
  } catch (error) {
    if (error instanceof SealError) return error.failure
    throw error
  }
  return 'none'
}

test('what is sealed opens again, whatever it is', () => {
  const sealer = new Sealer(realWorld, newKey())
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2_000 }), content => {
      expect(sealer.open(sealer.seal(content).sealed)).toEqual(new Uint8Array(content))
    }),
  )
})

test('sealing the same twice gives the same hash and nothing else in common', () => {
  const sealer = new Sealer(realWorld, newKey())
  const [a, b] = [sealer.seal(bytes('hunter2')), sealer.seal(bytes('hunter2'))]
  expect(a.hash).toBe(b.hash)
  expect(a.sealed).not.toEqual(b.sealed)
  expect(Buffer.from(a.sealed).includes('hunter2')).toBe(false)
})

test('a hash differs by content and by key, so that guesses cannot be tried without the key', () => {
  const [one, other] = [new Sealer(realWorld, newKey()), new Sealer(realWorld, newKey())]
  expect(one.seal(bytes('a')).hash).not.toBe(one.seal(bytes('b')).hash)
  expect(one.seal(bytes('a')).hash).not.toBe(other.seal(bytes('a')).hash)
})

test('no bit can be changed and no byte cut off', () => {
  const sealer = new Sealer(realWorld, newKey())
  const { sealed } = sealer.seal(bytes('secret'))
  for (let index = 0; index < sealed.length; index++) {
    const changed = Uint8Array.from(sealed)
    changed[index]! ^= 1 << (index % 8)
    expect(['damaged', 'wrong_key'], `byte ${index}`).toContain(failureOf(() => sealer.open(changed)))
    expect(
      failureOf(() => sealer.open(sealed.subarray(0, index))),
      `${index} bytes`,
    ).toBe('damaged')
  }
  expect(failureOf(() => sealer.open(Buffer.concat([sealed, Buffer.of(0)])))).toBe('damaged')
})

test('a data key moved to other content does not open it', () => {
  const sealer = new Sealer(realWorld, newKey())
  const [a, b] = [sealer.seal(bytes('content a')).sealed, sealer.seal(bytes('content b')).sealed]
  const header = 1 + 8 + 12 + 32 + 16
  const mixed = Buffer.concat([a.subarray(0, header), b.subarray(header)])
  expect(failureOf(() => sealer.open(mixed))).toBe('damaged')
})

test('an older key opens what it sealed, and no longer seals', () => {
  const [before, after] = [newKey(), newKey()]
  const { sealed } = new Sealer(realWorld, before).seal(bytes('old'))
  const rotated = new Sealer(realWorld, after, [before])
  expect(rotated.open(sealed)).toEqual(bytes('old'))
  expect(rotated.fingerprint).toBe(after.fingerprint)
  const resealed = rotated.seal(bytes('old')).sealed
  expect(new Sealer(realWorld, after).open(resealed)).toEqual(bytes('old'))
  expect(failureOf(() => new Sealer(realWorld, after).open(sealed))).toBe('wrong_key')
})

test('a key has a fingerprint that does not reveal it, and one form', () => {
  const secret = Buffer.alloc(32, 7)
  const text = secret.toString('base64')
  expect(SealKey.parse(` ${text}\n`, 'here').fingerprint).toBe(new SealKey(secret).fingerprint)
  expect(JSON.stringify(new SealKey(secret))).not.toContain(text.slice(0, 10))
  for (const wrong of ['', 'short', text.slice(1), `${text}x`, Buffer.alloc(31).toString('base64')])
    expect(failureOf(() => SealKey.parse(wrong, 'here'))).toBe('key_unusable')
})
