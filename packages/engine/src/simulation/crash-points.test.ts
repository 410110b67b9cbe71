import { afterAll, expect, test, vi } from 'vitest'
import { pointsOf } from './crash-points.ts'
import { likeUndisturbed, runExample } from './example/run.ts'
import { allCrashes, scenarioNames, scenarios } from './example/scenarios.ts'
import { scenarioCommand } from './seeds.ts'

// A busy machine may take ten times as long as an idle one. What never ends is ended by virtual time.
vi.setConfig({ testTimeout: 300_000 })

let runs = 0

test.each(scenarioNames)('%s: a crash at every commit and every outside call leads to the same end', async name => {
  const plan = scenarios[name]
  const undisturbed = await runExample({ seed: 1, nodes: 1, plan })
  expect(undisturbed.violation).toBeUndefined()
  const points = pointsOf(undisturbed.faults, allCrashes)
  expect(points.length).toBeGreaterThan(30)
  for (const point of points) {
    const { violation, faults } = await likeUndisturbed(
      await runExample({ seed: 1, nodes: 1, plan, script: [point] }),
      plan,
    )
    expect(violation, scenarioCommand(name, 1, [point])).toBeUndefined()
    expect(faults[point.name].hits).toBe(1)
    runs++
  }
})

afterAll(() => console.log(`${runs} crash points, each alone, in ${scenarioNames.length} scenarios`))
