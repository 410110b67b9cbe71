import { newId, realWorld } from '@stead/world'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plainService } from './contract/fixtures.ts'
import type { LaunchSpec, ServiceLaunch } from './launch-spec.ts'
import { fingerprint, launchFingerprint, launchToken } from './tokens.ts'

const service = plainService('web:1', {
  env: { MODE: 'fast' },
  secretEnv: { PASSWORD: 'hunter2' },
  files: [
    { path: '/etc/app.conf', content: Buffer.from('port 80'), secret: false },
    { path: '/etc/key', content: Buffer.from('s3cret'), secret: true },
  ],
})
const spec = (web: Partial<ServiceLaunch> = {}): LaunchSpec => ({
  name: 'web-1',
  source: { type: 'services', kind: 'deployment', services: { web: { ...service, ...web } } },
  power: 'on',
  tags: { 'stead.label.tier': 'web' },
})

test('a launch token is plain and short enough for every backend', () => {
  const token = launchToken(newId(realWorld, 'srv'), 4_294_967_295)
  expect(token).toMatch(/^[a-z0-9_.-]{1,64}$/)
})

test('equal values have equal fingerprints, whatever the order of their fields', () =>
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      const shuffled = JSON.parse(JSON.stringify(value), (_, part) =>
        part && typeof part === 'object' && !Array.isArray(part)
          ? Object.fromEntries(Object.entries(part).reverse())
          : part,
      )
      expect(fingerprint(shuffled)).toBe(fingerprint(JSON.parse(JSON.stringify(value))))
    }),
  ))

test('different values have different fingerprints', () => {
  const values = [
    null,
    0,
    '',
    '0',
    [],
    {},
    [[]],
    [0, 1],
    ['01'],
    [['a'], 'b'],
    ['a', ['b']],
    { a: 1 },
    { a: '1' },
    { b: 1 },
  ]
  const bytes = [new Uint8Array(), Buffer.from('a'), 'a']
  expect(new Set([...values, ...bytes].map(fingerprint)).size).toBe(values.length + bytes.length)
})

test('another configuration has another fingerprint', () => {
  const others = [
    spec({ image: 'web:2' }),
    spec({ env: { MODE: 'slow' } }),
    spec({ files: [{ path: '/etc/app.conf', content: Buffer.from('port 81'), secret: false }] }),
    { ...spec(), power: 'off' as const },
    { ...spec(), tags: {} },
  ]
  expect(new Set([spec(), ...others].map(launchFingerprint)).size).toBe(others.length + 1)
})

test('a fingerprint does not depend on a secret value, only on there being one', () => {
  const rotated = spec({
    secretEnv: { PASSWORD: 'other' },
    files: [service.files[0]!, { path: '/etc/key', content: Buffer.from('other'), secret: true }],
  })
  expect(launchFingerprint(rotated)).toBe(launchFingerprint(spec()))
  expect(launchFingerprint(spec({ secretEnv: {} }))).not.toBe(launchFingerprint(spec()))
})
