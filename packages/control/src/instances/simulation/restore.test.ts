import { pointsOf, SimulatedStore } from '@stead/engine/simulation'
import { expect, test, vi } from 'vitest'
import { nodeCrashes } from '../../simulation/index.ts'
import { runRestore } from './restore.ts'

// A busy machine may take ten times as long as an idle one. What never ends is ended by virtual time.
vi.setConfig({ testTimeout: 300_000 })

const sky = { streams: true }

test('after a restore nothing is destroyed or restarted, all is reported, and an operator brings it back in order', async () => {
  for (const streams of [true, false]) {
    const { violation, endState } = await runRestore({ seed: 1, nodes: 2, sky: { streams } })
    expect(violation).toBeUndefined()
    const running = { phase: 'running', ready: true, isTheSame: true, boots: 1, flavor: 'small', isTagged: true }
    expect(JSON.parse(endState)).toEqual({
      instances: [
        { name: 'inst-0', ...running },
        { name: 'inst-2', ...running },
        { name: 'inst-3', ...running, phase: 'stopped', ready: false },
        { name: 'inst-4', ...running, flavor: 'large' },
        { name: 'inst-5', ...running },
        { name: 'inst-6', ...running },
        { name: 'inst-7', ...running },
      ],
      slots: 7,
      adopted: 3,
    })
  }
})

test('a crash at every commit and every call after the restore leads to the same end', async () => {
  const before = new Map<string, number>()
  const undisturbed = await runRestore({
    ...{ seed: 1, nodes: 1, sky },
    restored({ faults }) {
      for (const name of nodeCrashes) before.set(name, faults.report[name].occasions)
    },
  })
  expect(undisturbed.violation).toBeUndefined()
  const points = pointsOf(undisturbed.faults, nodeCrashes).filter(({ name, at }) => at > before.get(name)!)
  expect(points.length).toBeGreaterThan(40)
  for (const point of points) {
    const { violation, endState, faults } = await runRestore({ seed: 1, nodes: 1, sky, script: [point] })
    expect(violation, `${point.name}/${point.at}`).toBeUndefined()
    expect(endState, `${point.name}/${point.at}`).toBe(undisturbed.endState)
    expect(faults[point.name].hits).toBe(1)
  }
  console.log(`${points.length} crash points after a restore`)
})

/** A store that does not know what it is. */
class Forgetful extends SimulatedStore {
  override get identity() {
    return { ...super.identity, observeOnly: false }
  }
}

test('a store that acts before it is resumed is caught', async () => {
  const { violation } = await runRestore({ seed: 1, nodes: 1, sky, parts: { Store: Forgetful } })
  expect(violation?.invariant).toBe('observing is all it does')
})
