import { realWorld, seconds } from '@stead/world'
import Type from 'typebox'
import { expect, test } from 'vitest'
import { admitLaunch } from './admit.ts'
import type { Capabilities } from './capabilities.ts'
import { plainService } from './contract/fixtures.ts'
import { defineProvider } from './define.ts'
import { ProviderError } from './errors.ts'
import { checkFilter, matchesFilter } from './filter.ts'
import { changedFields } from './launch-fields.ts'
import type { LaunchSpec, MachineLaunch } from './launch-spec.ts'
import type { Provider } from './provider.ts'
import { assertOwned, labelTags, ownTags, serverTags } from './tags.ts'

const owner = { controlPlane: 'cp-1', region: 'reg-1' }
const ours = serverTags(owner, 'srv-1')
const machine: MachineLaunch = { type: 'machine', flavor: 'small', image: 'minimal' }
const spec = (source: Partial<MachineLaunch> = {}, rest: Partial<LaunchSpec> = {}): LaunchSpec => ({
  name: 'vm-1',
  source: { ...machine, ...source },
  power: 'on',
  tags: ours,
  ...rest,
})

test('ownership is proved by both tags, and the refusal says whose it is', () => {
  expect(() => assertOwned({ id: 'i-1', tags: ours }, 'cp-1')).not.toThrow()
  expect(() => assertOwned({ id: 'i-1', tags: ours }, 'cp-2')).toThrow('i-1 belongs to control plane cp-1')
  for (const tags of [{}, { [ownTags.controlPlane]: 'cp-1' }, { [ownTags.managedBy]: 'stead' }])
    expect(() => assertOwned({ id: 'i-1', tags }, 'cp-1')).toThrow(ProviderError)
})

test('labels reach the backend under their own prefix', () =>
  expect(labelTags({ tier: 'web' })).toEqual({ 'stead.label.tier': 'web' }))

test('an error that says when to come back is retryable', () => {
  expect(new ProviderError('Conflict', 'token reused').retryable).toBe(false)
  expect(new ProviderError('Conflict', 'still stopping', { retryAfter: seconds(1) }).retryable).toBe(true)
})

test('a filter means something, or is refused', () => {
  expect(() => checkFilter({ tags: {} })).toThrow('all: true')
  expect(() => checkFilter({ tags: {}, all: true })).not.toThrow()
  expect(() => checkFilter({ tags: ours, states: ['rebooting' as 'running'] })).toThrow('no state "rebooting"')
})

test('a filter takes all of its tags, any of its states, and hides terminated unless asked', () => {
  const server = { state: 'running', tags: { a: '1', b: '2' } } as const
  expect(matchesFilter(server, { tags: { a: '1', b: '2' } })).toBe(true)
  expect(matchesFilter(server, { tags: { a: '1', b: '3' } })).toBe(false)
  expect(matchesFilter(server, { tags: { a: '1' }, states: ['stopped', 'running'] })).toBe(true)
  expect(matchesFilter(server, { tags: { a: '1' }, states: ['stopped'] })).toBe(false)
  const dead = { ...server, state: 'terminated' } as const
  for (const states of [undefined, []])
    expect(matchesFilter(dead, { tags: { a: '1' }, ...(states && { states }) })).toBe(false)
  expect(matchesFilter(dead, { tags: { a: '1' }, states: ['terminated'] })).toBe(true)
})

const capabilities: Capabilities = {
  sources: ['machine'],
  launch: { idempotency: { mode: 'token' } },
  consistency: { describe: seconds(0), list: seconds(0) },
  groups: {},
}

test('a launch is admitted only with its tags, and only of a kind the provider takes', () => {
  expect(() => admitLaunch(spec(), owner, capabilities)).not.toThrow()
  const refused = (bad: LaunchSpec) => {
    try {
      admitLaunch(bad, owner, capabilities)
    } catch (error) {
      return (error as ProviderError).code
    }
  }
  expect(refused(spec({}, { tags: {} }))).toBe('InvalidConfig')
  expect(refused(spec({}, { tags: serverTags({ ...owner, controlPlane: 'cp-2' }, 'srv-1') }))).toBe('InvalidConfig')
  expect(refused(spec({}, { tags: serverTags(owner, '') }))).toBe('InvalidConfig')
  const helm: LaunchSpec = { ...spec(), source: { type: 'helm', repo: '', chart: 'c', version: '1', values: {} } }
  expect(refused(helm)).toBe('Unsupported')
})

test('what changed between two specs is told by field', () => {
  expect([...changedFields(spec(), spec())]).toEqual([])
  expect([...changedFields(spec(), spec({ flavor: 'large', sshKeys: ['k'] }))]).toEqual(['flavor', 'sshKeys'])
  expect([...changedFields(spec(), spec({}, { tags: {}, power: 'off' }))]).toEqual(['power', 'tags'])
  const userData = (text: string) => spec({ userData: Buffer.from(text) })
  expect([...changedFields(userData('a'), userData('a'))]).toEqual([])
  expect([...changedFields(userData('a'), userData('b'))]).toEqual(['userData'])
})

test('what changed between two sets of services is told by field', () => {
  const web = plainService('web:1', { resources: { cpuMillis: 100 } })
  const unit = (services: object): LaunchSpec => ({
    ...spec(),
    source: { type: 'services', kind: 'deployment', services: services as never },
  })
  const changed = (services: object) => [...changedFields(unit({ web }), unit(services))].sort()
  expect(changed({ web: { ...web, resources: { cpuMillis: 200 } } })).toEqual(['resources'])
  expect(changed({ web: { ...web, secretEnv: { A: 'b' }, command: ['run'] } })).toEqual(['environment', 'process'])
  expect(changed({ web, log: { ...web, role: 'sidecar' } })).toEqual(['services'])
  expect([...changedFields(spec(), unit({ web }))]).toEqual(['source'])
})

test('a provider is not connected with what does not fit its types, and the refusal does not repeat it', async () => {
  const provider = {} as Provider
  const definition = defineProvider({
    kind: 'toy',
    configuration: Type.Object({ url: Type.String() }),
    credentials: Type.Object({ key: Type.String({ minLength: 8 }) }),
    connect: async () => provider,
  })
  const connect = (configuration: unknown, credentials: unknown) =>
    definition.connect({ configuration, credentials, owner, world: realWorld } as never)
  expect(await connect({ url: 'toy:' }, { key: 'long enough' })).toBe(provider)
  await expect(connect({}, { key: 'long enough' })).rejects.toMatchObject({ code: 'InvalidConfig' })
  const refusal = await connect({ url: 'toy:' }, { key: 's3cret' }).catch((error: Error) => error.message)
  expect(refusal).toContain('the credentials of a toy region: /key')
  expect(refusal).not.toContain('s3cret')
})
