import { type Groups, type LaunchSpec, type MachineLaunch, rebuilt } from '@stead/provider-kit'
import { expect, test } from 'vitest'
import { decideChangeStep, resized } from './change.ts'

const machine = (source: Partial<MachineLaunch> = {}, tags: Record<string, string> = {}): LaunchSpec => ({
  name: 'web',
  power: 'on',
  tags,
  source: { type: 'machine', flavor: 'small', image: 'debian', ...source },
})

const groups: Groups = {
  resize: { while: 'stopped' },
  rebuild: { idempotency: { mode: 'token' } },
  update: { fields: { tags: 'inPlace', sshKeys: 'restart' } },
}
const step = (to: LaunchSpec, more: Partial<Parameters<typeof decideChangeStep>[0]> = {}) =>
  decideChangeStep({ from: machine(), to, rebuild: false, state: 'running', groups, ...more })

test('what differs in nothing but power needs nothing', () =>
  expect(step({ ...machine(), power: 'off' })).toEqual({ type: 'apply', rest: 'nothing' }))

test('what the region can update is updated', () =>
  expect(step(machine({ sshKeys: ['k'] }, { a: '1' }))).toEqual({ type: 'apply', rest: 'update' }))

test('what it cannot is never tried', () => {
  expect(step(machine({ image: 'other' }, { a: '1' }))).toEqual({ type: 'impossible', fields: ['image'] })
  expect(step(machine({}, { a: '1' }), { groups: {} })).toEqual({ type: 'impossible', fields: ['tags'] })
  expect(step(machine({ flavor: 'large' }), { groups: {} })).toEqual({ type: 'impossible', fields: ['flavor'] })
  expect(step(machine(), { rebuild: true, groups: {} })).toEqual({ type: 'impossible', fields: [] })
  expect(step({ ...machine(), source: { type: 'helm', repo: '', chart: '', version: '', values: {} } })).toMatchObject({
    type: 'impossible',
  })
})

test('a new size waits for the power state in which the region takes it', () => {
  const to = machine({ flavor: 'large', diskGiB: 20 })
  const applied = { type: 'apply', resize: { flavor: 'large', diskGiB: 20 }, rest: 'nothing' }
  expect(step(to)).toEqual({ type: 'stop' })
  expect(step(to, { state: 'stopping' })).toEqual({ type: 'wait' })
  expect(step(to, { state: 'stopped' })).toEqual(applied)
  const live: Groups = { resize: { while: 'running' } }
  expect(step(to, { groups: live })).toEqual(applied)
  expect(step(to, { groups: live, state: 'stopped' })).toEqual({ type: 'wait' })
})

test('a new disk takes everything with it but the size, which goes first', () => {
  const to = machine({ image: 'other', flavor: 'large' })
  expect(step(machine({ image: 'other' }), { rebuild: true })).toEqual({ type: 'apply', rest: 'rebuild' })
  expect(step(to, { rebuild: true, state: 'stopped' })).toEqual({
    type: 'apply',
    resize: { flavor: 'large' },
    rest: 'rebuild',
  })
})

test('a new disk brings no new tags: they are written besides', () => {
  const to = machine({ image: 'other' }, { a: '1' })
  expect(step(to, { rebuild: true })).toEqual({ type: 'apply', rest: 'rebuild', besides: true })
  const { update: _, ...without } = groups
  expect(step(to, { rebuild: true, groups: without })).toEqual({ type: 'impossible', fields: ['tags'] })
})

test('after the size alone has changed, only the size is different', () =>
  expect(resized(machine(), { flavor: 'large' })).toEqual(machine({ flavor: 'large' })))

test('a new disk leaves addresses as they are: whether they are kept is told besides', () => {
  const to = machine({ image: 'other', keepAddresses: { of: 'a' } })
  const able: Groups = { ...groups, update: { fields: { ...groups.update?.fields, addresses: 'inPlace' } } }
  expect(step(to, { rebuild: true, groups: able })).toEqual({ type: 'apply', rest: 'rebuild', besides: true })
  expect(step(to, { rebuild: true })).toEqual({ type: 'impossible', fields: ['addresses'] })
  expect(rebuilt(machine(), to)).toEqual(machine({ image: 'other' }))
  expect(rebuilt(to, machine())).toEqual(machine({ keepAddresses: { of: 'a' } }))
})
