import { pointsOf } from '@stead/engine/simulation'
import { expect, test, vi } from 'vitest'
import { allCrashes, modes, planNames, plans } from './plans.ts'
import { likeUndisturbed, run, undisturbed } from './run.ts'

// A busy machine may take ten times as long as an idle one. What never ends is ended by virtual time.
vi.setConfig({ testTimeout: 300_000 })

const each = modes.flatMap(mode => planNames.map(name => ({ mode, name })))

test.each(each)('$name, once by $mode: a crash at every commit and outside call', async ({ mode, name }) => {
  const plan = plans[name]
  const sky = { mode }
  const { violation, faults } = await undisturbed(plan, mode)
  expect(violation).toBeUndefined()
  const points = pointsOf(faults, allCrashes)
  expect(points.length).toBeGreaterThan(20)
  for (const point of points) {
    const crashed = await run({ seed: 0, nodes: 1, plan, sky, script: [point] })
    const { violation } = await likeUndisturbed(crashed, { plan, sky })
    expect(violation, `${point.name} at ${point.at}`).toBeUndefined()
    expect(crashed.faults[point.name].hits).toBe(1)
  }
})
