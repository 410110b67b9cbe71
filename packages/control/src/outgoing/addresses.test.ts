import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addressRanges, mayReach } from './addresses.ts'

const none = addressRanges([])

test.each([
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '10.1.2.3',
  '172.31.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '0:0:0:0:0:0:0:1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:a9fe:a9fe',
  '::127.0.0.1',
  '64:ff9b::169.254.169.254',
  '64:ff9b:1::a9fe:a9fe',
  '2002:a9fe:a9fe::1',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  'fe80::1',
  'fe80::1%eth0',
  'fd00:ec2::254',
  'ff02::1',
])('%s may not be reached', address => expect(mayReach(address, none)).toBe(false))

test.each(['1.1.1.1', '93.184.216.34', '2606:4700::1111', '::ffff:1.1.1.1', '64:ff9b::1.1.1.1', '2002:101:101::1'])(
  '%s may be reached',
  address => expect(mayReach(address, none)).toBe(true),
)

test('what is not an address may not be reached', () => {
  for (const text of ['', 'localhost', '1.2.3', '1.2.3.4.5', ':::']) expect(mayReach(text, none)).toBe(false)
})

test('an IPv4 address hidden in an IPv6 one is judged as itself', () =>
  fc.assert(
    fc.property(fc.ipV4(), address => {
      const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number]
      const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
      const verdict = mayReach(address, none)
      for (const hidden of [`::ffff:${address}`, `::ffff:${hex}`, `64:ff9b::${hex}`, `2002:${hex}::`])
        expect(mayReach(hidden, none)).toBe(verdict)
    }),
  ))

test('an operator may open a range, and only that range', () => {
  const opened = addressRanges(['10.1.0.0/16', 'fd12::/16'])
  expect(mayReach('10.1.2.3', opened)).toBe(true)
  expect(mayReach('::ffff:10.1.2.3', opened)).toBe(true)
  expect(mayReach('10.2.0.1', opened)).toBe(false)
  expect(mayReach('fd12::1', opened)).toBe(true)
  expect(mayReach('fd00:ec2::254', opened)).toBe(false)
})

test('a range that is not one is refused', () => {
  for (const cidr of ['10.0.0.0', '10.0.0.0/33', 'fe80::/129', '10.0.0.0/x', 'x/8', '/8'])
    expect(() => addressRanges([cidr])).toThrow(RangeError)
})
