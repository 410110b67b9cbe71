import type { ProviderDefinition } from '@stead/provider-kit'
import { simulatedProvider } from '@stead/provider-kit/simulated'
import { millis, realWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { InstanceHouse } from '../instances/tests/house.ts'
import { otherwise } from '../instances/tests/otherwise.ts'

/** Longer than what is asked for takes: its stream tells the end of it before the answer tells the beginning. */
const late = millis(300)

/** A provider whose answers to what changes power come late. */
const slowToAnswer = (definition: ProviderDefinition): ProviderDefinition =>
  otherwise(definition, provider => {
    const slow = (verb: 'stop' | 'start' | 'reboot') => async (id: string, options?: object) => {
      const answer = await provider[verb]!(id, options)
      await realWorld.sleep(late)
      return answer
    }
    return { stop: slow('stop'), start: slow('start'), reboot: slow('reboot') }
  })

test('an answer that is older than what a stream has told meanwhile does not undo it', async () => {
  const house = await InstanceHouse.open({ provider: cloud => slowToAnswer(simulatedProvider(() => cloud)) })
  await house.running('web')
  for (const [verb, phase] of [
    ['stop', 'stopped'],
    ['start', 'running'],
    // It looks the same before and after.
    ['restart', 'running'],
  ] as const) {
    await house.must(202, 'POST', `/web/${verb}`, { body: {} })
    // A list would show it too, but not within this time.
    await house.until('web', phase)
    await realWorld.sleep(millis(late * 2))
    expect((await house.settled('web')).status.phase).toBe(phase)
  }
})

test('a stop is not taken as done on the word of a picture that does not show it as it is', async () => {
  let stops = 0
  const lying = (definition: ProviderDefinition) =>
    otherwise(definition, provider => ({
      async stop(id, options) {
        stops++
        return stops > 1 ? provider.stop(id, options) : { ...(await provider.describe(id, options)), state: 'stopped' }
      },
    }))
  const house = await InstanceHouse.open({ provider: cloud => lying(simulatedProvider(() => cloud)) })
  await house.running('web')
  await house.must(202, 'POST', '/web/stop', { body: {} })
  await house.settled('web')
  expect(stops).toBe(2)
  expect(house.backends()).toMatchObject([{ state: 'halted' }])
})
