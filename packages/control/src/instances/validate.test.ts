import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { validator } from '../schema/validator.ts'
import { InstanceSpec, type WrittenSpec } from './model.ts'
import { findCycle } from './source/order.ts'
import type { ServiceSpec } from './source/services.ts'
import { web } from './tests/samples.ts'
import { validate } from './validate.ts'

const paths = (spec: WrittenSpec) => validate(spec).map(({ path }) => path)
const services = (all: Record<string, ServiceSpec>): WrittenSpec => ({ source: { services: { services: all } } })
const machine = (more: object): WrittenSpec => ({ source: { machine: { flavor: 'small', image: 'minimal', ...more } } })
const at = (rest: string) => `/spec/source/services/services/${rest}`

test('what is well formed and fits together is accepted', () => {
  const spec: WrittenSpec = {
    ...services({
      web: {
        ...web,
        dependsOn: ['setup', 'cache'],
        healthChecks: [{ type: 'http', port: 'http' }],
        files: { '/etc/web.conf': { content: 'a=1' } },
        volumes: [{ name: 'data', path: '/data' }],
      },
      cache: { role: 'sidecar', image: 'host', ports: [{ name: 'cache', port: 6_379 }] },
      setup: { role: 'init', image: 'host', command: ['true'] },
    }),
    ttl: '2h',
    idleStop: '15m',
  }
  expect(validator(InstanceSpec).errors(spec)).toEqual([])
  expect(validate(spec)).toEqual([])
})

describe('a source', () => {
  test('is exactly one', () => {
    const both = { source: { ...services({ web }).source, ...machine({}).source } }
    for (const spec of [both, { source: {} }]) expect(paths(spec)).toEqual(['/spec/source'])
  })
})

describe('services', () => {
  test('have exactly one main', () => {
    expect(validate(services({ web: { ...web, role: 'sidecar' } }))).toEqual([
      { path: '/spec/source/services/services', message: 'must have exactly one main service, not none' },
    ])
    expect(paths(services({ web, other: { image: 'host' } }))).toEqual(['/spec/source/services/services'])
  })

  test('that wait for each other are told in which circle', () => {
    const [error] = validate(
      services({
        a: { ...web, dependsOn: ['b'] },
        b: { role: 'sidecar', image: 'x', dependsOn: ['c'] },
        c: { role: 'sidecar', image: 'x', dependsOn: ['a'] },
      }),
    )
    expect(error).toEqual({ path: at('a/dependsOn'), message: 'services wait for each other: a → b → c → a' })
  })

  test('depend on what there is, and inits only on inits', () =>
    expect(
      paths(
        services({
          web: { ...web, dependsOn: ['web', 'nobody'] },
          setup: { role: 'init', image: 'x', dependsOn: ['web'] },
        }),
      ),
    ).toEqual([at('web/dependsOn/0'), at('web/dependsOn/1'), at('setup/dependsOn/0')]))

  test('name ports, volumes and files once, and check ports they have', () =>
    expect(
      paths(
        services({
          web: {
            ...web,
            ports: [{ name: 'a', port: 80 }, { name: 'a' }, { name: 'dns', protocol: 'udp' }],
            volumes: [
              { name: 'v', path: '/x' },
              { name: 'w', path: '/x' },
            ],
            files: { '/both': { content: 'a', contentBase64: 'YQ==' }, '/neither': {} },
            env: { PORT_A: '1' },
            healthChecks: [
              { type: 'http' },
              { type: 'tcp', port: 'b' },
              { type: 'grpc', port: 'dns' },
              { type: 'command' },
            ],
          },
          other: { role: 'sidecar', image: 'x', ports: [{ name: 'a', port: 80 }] },
        }),
      ),
    ).toEqual([
      at('web/ports/1/name'),
      at('web/volumes/1/path'),
      at('web/files/~1both'),
      at('web/files/~1neither'),
      at('web/healthChecks/0/port'),
      at('web/healthChecks/1/port'),
      at('web/healthChecks/2/port'),
      at('web/healthChecks/3/command'),
      at('web/env/PORT_A'),
      at('web/env/PORT_A'),
      at('other/ports/0/port'),
    ]))
})

test('a machine says its user data once, real addresses and real keys', () => {
  const key = Buffer.concat([Buffer.from([0, 0, 0, 11]), Buffer.from('ssh-ed25519'), Buffer.alloc(36)])
  const sshKeys = [
    `ssh-ed25519 ${key.toString('base64')} me@here`,
    'ssh-ed25519 AAAA',
    `ssh-rsa ${key.toString('base64')}`,
  ]
  expect(
    paths(
      machine({
        userData: 'a',
        userDataBase64: 'YQ==',
        securityGroups: ['web'],
        allowedSourceAddresses: ['10.0.0.0/24', '10.0.0.0', '10.0.0.0/33', 'fd00::/64', 'x/8'],
        sshKeys,
      }),
    ),
  ).toEqual([
    '/spec/source/machine/userData',
    '/spec/source/machine/userDataBase64',
    '/spec/source/machine/securityGroups',
    '/spec/source/machine/allowedSourceAddresses/1',
    '/spec/source/machine/allowedSourceAddresses/2',
    '/spec/source/machine/allowedSourceAddresses/4',
    '/spec/source/machine/sshKeys/1',
    '/spec/source/machine/sshKeys/2',
  ])
})

test('times to live are longer than nothing and do not contradict protection', () => {
  expect(paths({ ...services({ web }), ttl: '0s', idleStop: '99999999d99999999d9999999999d' })).toEqual([
    '/spec/ttl',
    '/spec/idleStop',
  ])
  expect(paths({ ...services({ web }), ttl: '1h', deletionProtection: true })).toEqual([
    '/spec/ttl',
    '/spec/deletionProtection',
  ])
})

test('a circle is found just where names cannot be put in an order', () => {
  const names = ['a', 'b', 'c', 'd', 'e']
  const graph = fc.array(fc.uniqueArray(fc.constantFrom(...names)), { minLength: 5, maxLength: 5 })
  fc.assert(
    fc.property(graph, lists => {
      const dependencies = new Map(names.map((name, index) => [name, lists[index]!]))
      const cycle = findCycle(dependencies)
      if (cycle)
        for (const [index, name] of cycle.entries())
          expect(dependencies.get(name)).toContain(cycle[(index + 1) % cycle.length])
      else expect(canBeOrdered(dependencies)).toBe(true)
    }),
  )
})

function canBeOrdered(dependencies: ReadonlyMap<string, readonly string[]>): boolean {
  const left = new Map(dependencies)
  for (let before = -1; left.size !== before; ) {
    before = left.size
    for (const [name, others] of left) if (others.every(other => !left.has(other))) left.delete(name)
  }
  return left.size === 0
}
