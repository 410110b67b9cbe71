import { pointsOf } from '@stead/engine/simulation'
import type { IdempotencyMode } from '@stead/provider-kit'
import { afterAll, expect, test, vi } from 'vitest'
import { nodeCrashes } from '../../simulation/index.ts'
import { likeUndisturbed, runServers, skyOf } from './run.ts'
import { type ScenarioName, scenarioNames, scenarios } from './scenarios.ts'

// A busy machine may take ten times as long as an idle one. What never ends is ended by virtual time.
vi.setConfig({ testTimeout: 300_000 })

/** How a launch happens once makes a difference where there is little else; the others are tried in one way each. */
const modesOf = (name: ScenarioName): readonly IdempotencyMode[] =>
  name.startsWith('create') ? ['token', 'name', 'search'] : name === 'stop and start' ? ['name'] : ['token']
const cases = scenarioNames.flatMap(name => modesOf(name).map(mode => ({ name, mode })))

let runs = 0

test.each(cases)(
  '$name, by $mode: a crash at every commit and every call leads to the same end',
  async ({ name, mode }) => {
    const plan = scenarios[name]
    const sky = skyOf(mode)
    const undisturbed = await runServers({ seed: 1, nodes: 1, plan, sky })
    expect(undisturbed.violation).toBeUndefined()
    const points = pointsOf(undisturbed.faults, nodeCrashes)
    expect(points.length).toBeGreaterThan(15)
    for (const point of points) {
      const outcome = await runServers({ seed: 1, nodes: 1, plan, sky, script: [point] })
      const { violation, faults } = await likeUndisturbed(outcome, plan)
      expect(violation, `${point.name}/${point.at}`).toBeUndefined()
      expect(faults[point.name].hits).toBe(1)
      runs++
    }
  },
)

afterAll(() => console.log(`${runs} crash points, each alone, in ${cases.length} scenarios`))
