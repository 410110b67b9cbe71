import { addReport, emptyReport, pointsOf } from '@stead/engine/simulation'
import { expect, test, vi } from 'vitest'
import { type ReceiverFault, receiverFaults } from './receiver.ts'
import { catalogue, run, runSeed } from './run.ts'

// A busy machine may take ten times as long as an idle one. What never ends is ended by virtual time.
vi.setConfig({ testTimeout: 300_000 })

test('whatever goes wrong, everything comes, and in order', async () => {
  const total = emptyReport(catalogue)
  for (let seed = 1; seed <= 25; seed++) {
    const { violation, faults } = await runSeed(seed)
    addReport(total, faults)
    expect(violation, `seed ${seed}`).toBeUndefined()
  }
  const names = Object.keys(receiverFaults) as ReceiverFault[]
  expect(names.filter(name => total[name].hits === 0)).toEqual([])
})

const crashes = [
  'node-crash-before-commit',
  'node-crash-after-commit',
  'node-crash-before-outside-call',
  'node-crash-after-outside-call',
] as const

test('a crash at every commit and every sending', async () => {
  const small = { seed: 0, nodes: 1, objects: 2, changes: 2 }
  const calm = await run(small)
  expect(calm.violation).toBeUndefined()
  const points = pointsOf(calm.faults, crashes)
  expect(points.length).toBeGreaterThan(15)
  for (const point of points) {
    const crashed = await run({ ...small, script: [point] })
    expect(crashed.violation, `${point.name} at ${point.at}`).toBeUndefined()
    expect(crashed.endState).toBe(calm.endState)
    expect(crashed.faults[point.name].hits).toBe(1)
  }
})
