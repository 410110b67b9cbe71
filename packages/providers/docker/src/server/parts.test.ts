import { launchFingerprint } from '@stead/provider-kit'
import { plainService } from '@stead/provider-kit/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addressOf } from '../connect.ts'
import { firstFileIn, tarOf } from '../engine/tar.ts'
import { parseReference } from './images.ts'
import { openText, packSpec, recordLabels, shapeOf, unpackSpec } from './labels.ts'
import { Subnets } from './subnets.ts'

const specOf = (besides: Parameters<typeof plainService>[1]) => ({
  name: 'x',
  source: { type: 'services', kind: 'deployment', services: { main: plainService('image', besides) } } as const,
  power: 'on' as const,
  tags: {},
})

test('no secret is in a label, and a spec that has one is read back whole', () => {
  const secret = Buffer.from('whisper')
  for (const spec of [
    specOf({ secretEnv: { A: 'whisper' } }),
    specOf({ files: [{ path: '/x', content: secret, secret: true }] }),
    specOf({ pullSecret: { server: 's', username: 'u', password: 'whisper' } }),
  ]) {
    const text = JSON.stringify(recordLabels(spec, 'id', 'token', launchFingerprint(spec)))
    expect(openText(spec)).toBeUndefined()
    expect(text).not.toMatch(/whisper|d2hpc3Blcg/)
    expect(unpackSpec(packSpec(spec).toString())).toEqual(spec)
  }
  expect(openText(specOf({ env: { A: 'x'.repeat(20_000) } }))).toBeUndefined()
  expect(unpackSpec(openText(specOf({}))!)).toEqual(specOf({}))
})

test('ports without a number get one that nobody declared', () => {
  const ports = [
    { name: 'a', protocol: 'tcp', port: 20_000 },
    { name: 'b', protocol: 'tcp' },
    { name: 'c', protocol: 'udp' },
  ] as const
  const picked = shapeOf(specOf({ ports })).services.main!.ports.map(({ port }) => port)
  expect(picked).toEqual([20_000, 20_001, 20_002])
})

test.each([
  ['nginx', 'docker.io', 'nginx', 'latest'],
  ['team/app:1.2', 'docker.io', 'team/app', '1.2'],
  ['localhost:5000/app', 'localhost:5000', 'localhost:5000/app', 'latest'],
  ['registry.example.com/a/b:x@sha256:abc', 'registry.example.com', 'registry.example.com/a/b', 'sha256:abc'],
])('%s is of %s', (reference, host, repository, tag) => {
  expect(parseReference(reference)).toEqual({ host, repository, tag })
})

test('subnets are picked once each, from the range, until there are none', () => {
  const subnets = new Subnets('10.9.0.0/26')
  subnets.take('10.9.0.8/29')
  subnets.take('192.168.0.0/24')
  const picked = Array.from({ length: 7 }, (_, index) => subnets.pick(`stead-${index}`))
  expect(new Set(picked).size).toBe(7)
  expect(picked).not.toContain('10.9.0.8/29')
  for (const subnet of picked) expect(subnet).toMatch(/^10\.9\.0\.\d+\/29$/)
  expect(() => subnets.pick('stead-8')).toThrow('in use')
  subnets.free(picked[3]!)
  expect(subnets.pick('stead-9')).toBe(picked[3])
})

test('the first file of an archive is what was put in', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2_000 }), content => {
      const archive = tarOf([{ path: 'a/b', content, mode: 0o600 }])
      expect(firstFileIn(archive)).toEqual(Buffer.from(content))
    }),
  )
  expect(firstFileIn(tarOf([]))).toBeUndefined()
})

test('an engine on another machine is spoken to with TLS, or not at all', () => {
  expect(() => addressOf('tcp://10.0.0.1:2375')).toThrow('needs TLS')
  expect(addressOf('tcp://127.0.0.1:2375')).toMatchObject({ host: '127.0.0.1', port: 2375 })
  expect(addressOf('tcp://10.0.0.1', { ca: 'x' })).toEqual({ host: '10.0.0.1', port: 2376, tls: { ca: 'x' } })
  expect(addressOf('unix:///run/x.sock')).toEqual({ socket: '/run/x.sock' })
})
