import { type Capabilities, changedFields, type LaunchField } from '@stead/provider-kit'
import { millis } from '@stead/world'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { differences } from '../resource/merge-patch.ts'
import { renderLaunch } from './launch.ts'
import { effects, type InstanceSpec } from './model.ts'
import { covers, effectOf, launchFieldsOf, type PlanState, plan, strongest } from './plan.ts'
import type { ServiceSpec } from './source/services.ts'
import { machineSpec, servicesSpec } from './tests/samples.ts'

const capabilities = (groups: Capabilities['groups']): Capabilities => ({
  sources: ['machine', 'services'],
  launch: { idempotency: { mode: 'token' } },
  consistency: { describe: millis(0), list: millis(0) },
  groups,
})
const able = capabilities({
  resize: { while: 'stopped' },
  rebuild: { idempotency: { mode: 'token' } },
  update: { fields: { tags: 'inPlace', resources: 'inPlace', environment: 'restart' } },
})
const unable = capabilities({})

const machine = (more: Partial<PlanState> = {}): PlanState => ({
  capabilities: able,
  source: 'machine',
  server: 'on',
  ...more,
})
const change = (field: string, from: unknown, to: unknown) => ({ path: `/spec/source/machine/${field}`, from, to })

describe('a flavor', () => {
  const flavor = change('flavor', 'small', 'large')
  test('is a restart where the provider can resize, and a replacement where it cannot', () => {
    expect(plan([flavor], machine())).toMatchObject({ effect: 'restart', loses: ['localState'] })
    expect(plan([flavor], machine({ capabilities: unable }))).toEqual({
      effect: 'replace',
      changes: [{ ...flavor, effect: 'replace' }],
      loses: ['disk', 'addresses', 'localState'],
      keeps: [],
      interrupts: true,
    })
    const running = capabilities({ resize: { while: 'running' } })
    expect(plan([flavor], machine({ capabilities: running })).effect).toBe('inPlace')
  })
  test('costs nothing what does not run, and nothing where nothing was made', () => {
    expect(plan([flavor], machine({ server: 'off' })).effect).toBe('inPlace')
    expect(plan([flavor], machine({ server: 'none', capabilities: unable }))).toMatchObject({
      effect: 'inPlace',
      loses: [],
    })
  })
})

test('an image is a new disk where that can be had, and a disk never shrinks', () => {
  expect(plan([change('image', 'a', 'b')], machine())).toMatchObject({
    effect: 'rebuild',
    loses: ['disk', 'localState'],
  })
  expect(plan([change('image', 'a', 'b')], machine({ capabilities: unable })).effect).toBe('replace')
  expect(plan([change('diskGiB', 10, 20)], machine()).effect).toBe('restart')
  expect(plan([change('diskGiB', 20, 10)], machine()).effect).toBe('replace')
  expect(plan([change('diskGiB', 20, undefined)], machine()).effect).toBe('replace')
})

describe('addresses that are kept', () => {
  const replacing = change('sshKeys', [], ['ssh-ed25519 AAAA'])
  test('are not lost by a replacement, which still interrupts', () =>
    expect(plan([replacing], machine({ keepsAddresses: true }))).toMatchObject({
      effect: 'replace',
      loses: ['disk', 'localState'],
      keeps: ['addresses'],
      interrupts: true,
    }))
  test('interrupt nothing where nothing runs, or nothing is changed but the record', () => {
    expect(plan([replacing], machine({ keepsAddresses: true, server: 'off' }))).toMatchObject({ interrupts: false })
    expect(plan([], machine({ keepsAddresses: true }))).toMatchObject({ loses: [], keeps: [], interrupts: false })
  })
  test('are kept from now on in place where that can be had, and by a replacement, which loses them, where it cannot', () => {
    const keeping = change('keepAddresses', false, true)
    const updating = capabilities({ addresses: {}, update: { fields: { addresses: 'inPlace' } } })
    expect(plan([keeping], machine({ capabilities: updating }))).toMatchObject({ effect: 'inPlace', loses: [] })
    expect(plan([keeping], machine({ capabilities: unable })).loses).toContain('addresses')
  })
  test('are a matter of machines: services are replaced while they serve', () =>
    expect(
      plan([{ path: '/spec/source/services/services/web/image', from: 'a', to: 'b' }], {
        ...{ capabilities: able, source: 'services', server: 'on' },
      }),
    ).toMatchObject({ effect: 'replace', interrupts: false }))
})

test('labels and policies never cost anything', () => {
  const changes = [
    { path: '/labels/tier', from: 'a', to: 'b' },
    { path: '/displayName', from: 'a', to: 'b' },
    { path: '/spec/onCrash', from: 'stop', to: 'restart' },
    { path: '/spec/power', from: 'on', to: 'off' },
  ]
  expect(plan(changes, machine({ capabilities: unable }))).toMatchObject({ effect: 'inPlace', loses: [] })
})

test('what was agreed to before and is not true yet happens with the next change', () => {
  expect(plan([], machine({ pending: 'replace' }))).toMatchObject({ effect: 'replace', changes: [] })
  expect(plan([], machine({ pending: 'replace', server: 'none' })).effect).toBe('inPlace')
})

test('where what runs is not what was wanted before, changes count from what runs', () => {
  const image = change('image', 'b', 'a')
  const apart = [change('flavor', 'small', 'large')]
  expect(plan([image], machine({ apart: [] }))).toMatchObject({ effect: 'inPlace', changes: [{ effect: 'inPlace' }] })
  expect(plan([image], machine({ apart }))).toMatchObject({ effect: 'restart', changes: [{ effect: 'inPlace' }] })
  expect(plan(apart, machine({ apart: [...apart, change('image', 'a', 'b')] }))).toMatchObject({
    ...{ effect: 'rebuild', changes: [{ effect: 'restart' }], loses: ['disk', 'localState'] },
  })
})

const anyEffect = fc.constantFrom(...effects)

test('the strongest of some effects covers each of them', () =>
  fc.assert(
    fc.property(fc.array(anyEffect), some => {
      const most = strongest(...some)
      for (const each of some) expect(covers(most, each)).toBe(true)
      expect(some.length === 0 || some.includes(most)).toBe(true)
    }),
  ))

describe('what is planned is what the provider will find changed', () => {
  const anyService: fc.Arbitrary<ServiceSpec> = fc.record(
    {
      image: fc.constantFrom('a', 'b'),
      command: fc.constantFrom(['x'], ['y']),
      env: fc.constantFrom({ A: '1' }, { A: '2' }),
      files: fc.constantFrom({ '/f': { content: '1' } }, { '/f': { content: '2' } }),
      ports: fc.constantFrom([{ name: 'a' }], [{ name: 'a', port: 1 }]),
      resources: fc.constantFrom({ cpuMillis: 1 }, { cpuMillis: 2 }),
      healthChecks: fc.constantFrom([], [{ type: 'command' as const, command: ['x'] }]),
      restart: fc.constantFrom('never', 'onFailure'),
      volumes: fc.constantFrom([], [{ name: 'v', path: '/v' }]),
      user: fc.constantFrom('me', 'you'),
    },
    { requiredKeys: ['image'] },
  )
  const anyServices = fc
    .record({ web: anyService, side: fc.option(anyService, { nil: undefined }) })
    .map(({ web, side }) => servicesSpec({ web, ...(side && { side: { ...side, role: 'sidecar' as const } }) }))
  const anyMachine = fc
    .record(
      {
        flavor: fc.constantFrom('a', 'b'),
        image: fc.constantFrom('a', 'b'),
        diskGiB: fc.constantFrom(1, 2),
        publicIp: fc.boolean(),
        sshKeys: fc.constantFrom<string[]>(['a'], ['b']),
        allowedSourceAddresses: fc.constantFrom<string[]>(['a'], ['b']),
      },
      { requiredKeys: ['flavor', 'image'] },
    )
    .map(machineSpec)

  const rendered = (spec: InstanceSpec) =>
    renderLaunch({
      instance: { id: 'inst_i', projectId: 'prj_p', name: 'i', labels: {}, spec },
      serverId: 's',
      owner: { controlPlane: 'c', region: 'r' },
      power: 'on',
      resolved: {},
    })

  test.each([
    ['services', anyServices],
    ['machine', anyMachine],
  ] as const)('%s', (source, anySpec) =>
    fc.assert(
      fc.property(anySpec, anySpec, (from, to) => {
        const told = new Set(differences({ spec: from }, { spec: to }).flatMap(({ path }) => launchFieldsOf(path)))
        const made = changedFields(rendered(from), rendered(to))
        // Whatever will be changed was planned; more may have been, where a field is said in another way.
        for (const field of made) expect(told).toContain(field)
        const state: PlanState = { capabilities: able, source, server: 'on' }
        const effect = strongest(...[...made].map((field: LaunchField) => effectOf(field, state)))
        expect(covers(plan(differences({ spec: from }, { spec: to }), state).effect, effect)).toBe(true)
      }),
    ),
  )
})
