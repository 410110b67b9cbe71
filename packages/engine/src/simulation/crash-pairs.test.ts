import { afterAll, expect, test, vi } from 'vitest'
import { pairsOf } from './crash-points.ts'
import { likeUndisturbed, runExample } from './example/run.ts'
import { nodeCrashes, scenarios } from './example/scenarios.ts'
import { scenarioCommand } from './seeds.ts'

// A busy machine may take ten times as long as an idle one. What never ends is ended by virtual time.
vi.setConfig({ testTimeout: 300_000 })

let runs = 0

test('create: two crashes, at any two points, lead to the same end', async () => {
  const plan = scenarios.create
  const undisturbed = await runExample({ seed: 1, nodes: 1, plan })
  const pairs = pairsOf(undisturbed.faults, nodeCrashes, 2)
  expect(pairs.length).toBeGreaterThan(200)
  for (const script of pairs) {
    const outcome = await runExample({ seed: 1, nodes: 1, plan, script })
    const { violation } = await likeUndisturbed(outcome, plan)
    expect(violation, scenarioCommand('create', 1, script)).toBeUndefined()
    runs++
  }
})

afterAll(() => console.log(`${runs} pairs of crash points`))
