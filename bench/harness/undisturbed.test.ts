import { seconds, VirtualWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { undisturbed } from './undisturbed.ts'

async function measure(taken: readonly number[]) {
  const world = new VirtualWorld({ seed: 1 })
  let runs = 0
  let total = 0
  const run = async () => {
    await world.runFor(seconds(10))
    total += taken[runs++]!
    return { run: runs }
  }
  return { ...(await undisturbed(world, { name: 'any', run }, { secondsStolen: () => total }).run()), runs }
}

test('what the host left alone is measured once', async () =>
  expect(await measure([0.1])).toEqual({ run: 1, stolen: 0.01, runs: 1 }))

test('what the host disturbed is measured again until it did not', async () =>
  expect(await measure([2, 0])).toEqual({ run: 2, stolen: 0, runs: 2 }))

test('on a host that is always busy the least disturbed counts', async () =>
  expect(await measure([3, 1, 2])).toEqual({ run: 2, stolen: 0.1, runs: 3 }))
