import { ProviderError } from '@stead/provider-kit'
import { simulatedProvider } from '@stead/provider-kit/simulated'
import { expect, test } from 'vitest'
import { InstanceHouse, machine, services } from './tests/house.ts'
import { otherwise } from './tests/otherwise.ts'

type Verb = 'resize' | 'update' | 'rebuild'

/** A house whose region refuses what `refusing` holds, and how often it was asked for each. */
async function open(...verbs: readonly Verb[]) {
  const refusing = new Set(verbs)
  const asked = { resize: 0, update: 0, rebuild: 0 }
  const house = await InstanceHouse.open({
    provider: cloud =>
      otherwise(
        simulatedProvider(() => cloud),
        provider => {
          const refuse =
            <Arguments extends unknown[], Answer>(verb: Verb, call: (...given: Arguments) => Answer) =>
            (...given: Arguments): Answer => {
              asked[verb]++
              if (refusing.has(verb)) throw new ProviderError('InvalidConfig', 'host-17 of account 4711 says no')
              return call.apply(provider, given)
            }
          return {
            resize: refuse('resize', provider.resize!),
            update: refuse('update', provider.update!),
            rebuild: refuse('rebuild', provider.rebuild!),
          }
        },
      ),
  })
  return { house, refusing, asked }
}

const error = { code: 'InvalidConfig', message: 'the region refused it: it cannot be run as it is described' }
const refused = {
  observedGeneration: 1,
  ready: false,
  operation: null,
  conditions: [{ type: 'Trouble', reason: error.code, message: error.message }],
}
const flavor = (name: string) => ({ body: { spec: { source: { machine: { flavor: name } } } } })
const image = (name: string) => ({ body: { spec: { source: { machine: { image: name } } } } })
const env = (value: string) => ({
  body: { spec: { source: { services: { services: { web: { env: { A: value } } } } } } },
})

test('a resize that is refused has failed and says why, and the machine goes on as it was', async () => {
  const { house, refusing, asked } = await open('resize')
  const { metadata } = await house.running('vm-1', machine())
  const scaled = await house.must(202, 'POST', '/vm-1/scale', { body: { flavor: 'large' } })
  expect(await house.ended(scaled.operation.id)).toMatchObject({ type: 'scale', state: 'failed', error })
  await house.until('vm-1', 'running')
  expect((await house.get('vm-1')).status).toMatchObject({ ...refused, phase: 'running', power: 'on' })
  const [server] = house.serversOf(metadata.id)
  house.cloud.crash(server!.status.backendId!)
  await expect.poll(() => house.events('vm-1')).toContain('Crashed')
  await house.until('vm-1', 'running')
  for (const [verb, phase] of [
    ['stop', 'stopped'],
    ['start', 'running'],
  ] as const) {
    const { operation } = await house.must(202, 'POST', `/vm-1/${verb}`)
    expect(await house.ended(operation.id)).toMatchObject({ state: 'succeeded' })
    expect((await house.get('vm-1')).status).toMatchObject({ phase, conditions: refused.conditions })
  }
  expect(asked.resize, 'nothing tries it again').toBe(1)
  refusing.clear()
  const other = await house.must(202, 'PATCH', '/vm-1', flavor('medium'))
  expect(await house.ended(other.operation.id)).toMatchObject({ state: 'succeeded' })
  expect((await house.get('vm-1')).status).toMatchObject({ ready: true, conditions: [] })
})

test('an update that is refused can be taken back', async () => {
  const { house, refusing } = await open('update')
  await house.running('web', services({ env: { A: '1' } }))
  const updated = await house.must(202, 'PATCH', '/web', env('2'))
  expect(await house.ended(updated.operation.id)).toMatchObject({ state: 'failed', error })
  await house.until('web', 'running')
  expect((await house.get('web')).status).toMatchObject({ ...refused, health: 'healthy' })
  const back = await house.must(202, 'PATCH', '/web', env('1'))
  expect(await house.ended(back.operation.id)).toMatchObject({ state: 'succeeded' })
  expect((await house.get('web')).status).toMatchObject({ ready: true, observedGeneration: 3, conditions: [] })
  refusing.clear()
})

test('a rebuild that is refused leaves the disk as it was, and whatever is wanted next does not bring a new one', async () => {
  const { house, refusing, asked } = await open('rebuild')
  await house.running('vm-1', machine())
  const rebuilt = await house.must(202, 'PATCH', '/vm-1?allow=rebuild', image('debian-12'))
  expect(await house.ended(rebuilt.operation.id)).toMatchObject({ type: 'rebuild', state: 'failed', error })
  expect((await house.get('vm-1')).status).toMatchObject({ ...refused, phase: 'running' })
  const restart = await house.must(202, 'POST', '/vm-1/restart', { body: {} })
  expect(await house.ended(restart.operation.id)).toMatchObject({ state: 'succeeded' })
  refusing.clear()
  const back = await house.must(202, 'PATCH', '/vm-1', image('minimal'))
  expect(await house.ended(back.operation.id)).toMatchObject({ state: 'succeeded' })
  expect((await house.get('vm-1')).status).toMatchObject({ ready: true, conditions: [] })
  expect(asked.rebuild).toBe(1)
})

test('what was refused is tried again when somebody asks', async () => {
  const { house, refusing, asked } = await open('rebuild', 'resize')
  await house.running('vm-1', machine())
  for (const [path, body, verb] of [
    ['/vm-1?allow=rebuild', image('debian-12'), 'rebuild'],
    ['/vm-1', flavor('large'), 'resize'],
  ] as const) {
    const first = await house.must(202, 'PATCH', path, body)
    expect(await house.ended(first.operation.id)).toMatchObject({ state: 'failed', error })
    refusing.delete(verb)
    await house.until('vm-1', 'running')
    const again = await house.must(202, 'PATCH', '/vm-1?allow=rebuild', body)
    expect(await house.ended(again.operation.id)).toMatchObject({ state: 'succeeded' })
    expect(asked[verb]).toBe(2)
  }
})
