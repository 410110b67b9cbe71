import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Cidr, cidrFault, overlap, readCidr, writeCidr } from './cidr.ts'

const anyCidr: fc.Arbitrary<Cidr> = fc
  .tuple(fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.integer({ min: 0, max: 32 }))
  .map(([address, prefix]) => ({ base: address - (address % 2 ** (32 - prefix)), prefix }))

test('what is written is read as it was', () =>
  fc.assert(
    fc.property(anyCidr, cidr => {
      expect(readCidr(writeCidr(cidr))).toEqual(cidr)
      expect(cidrFault(writeCidr(cidr))).toBeUndefined()
    }),
  ))

test('two overlap when some address is in both', () => {
  const small = fc
    .tuple(fc.nat(255), fc.integer({ min: 24, max: 32 }))
    .map(([address, prefix]): Cidr => ({ base: address - (address % 2 ** (32 - prefix)), prefix }))
  const addresses = ({ base, prefix }: Cidr) => Array.from({ length: 2 ** (32 - prefix) }, (_, n) => base + n)
  fc.assert(
    fc.property(small, small, (a, b) => {
      const inB = new Set(addresses(b))
      expect(overlap(a, b)).toBe(addresses(a).some(address => inB.has(address)))
    }),
  )
})

test.each([
  '',
  '10.0.0.0',
  '10.0.0.0/33',
  '256.0.0.0/8',
  '010.0.0.0/8',
  '10.0.0/8',
  '10.0.0.0/08',
  '::/0',
  ' 10.0.0.0/8',
])('%j is no range', text => expect(cidrFault(text)).toMatch(/must be/))

test('bits behind the prefix are told with what was meant', () =>
  expect(cidrFault('10.20.1.7/16')).toBe('has bits set behind its prefix: did you mean 10.20.0.0/16?'))
