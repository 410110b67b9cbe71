import { afterAll, expect, test, vi } from 'vitest'
import { mutants } from './mutants.ts'
import { runSeed, runServers } from './run.ts'
import { scenarios } from './scenarios.ts'

// A busy machine may take ten times as long as an idle one. What never ends is ended by virtual time.
vi.setConfig({ testTimeout: 300_000 })

/** A bug that so many runs do not show would be found by chance only. */
const seeds = 40

const caught: string[] = []

test.each(mutants)('$name is caught', async ({ name, bugs, sky, emphasis, scenario, stray = false, caughtBy }) => {
  for (let seed = 1; seed <= seeds; seed++) {
    const { violation } = scenario
      ? await runServers({ seed, nodes: 1, plan: scenarios[scenario], bugs, stray, ...(sky && { sky }) })
      : await runSeed(seed, { nodes: 3, bugs, ...(sky && { sky }), ...(emphasis && { emphasis }) })
    if (!violation) continue
    expect(caughtBy).toContain(violation.invariant)
    caught.push(`${name}: by "${violation.invariant}" with seed ${seed}`)
    return
  }
  expect.fail(`${seeds} seeds did not show it`)
})

test('what nobody here ever had is reported, and left alone', async () => {
  const { violation, endState } = await runServers({ seed: 1, nodes: 1, plan: scenarios.create, stray: true })
  expect(violation).toBeUndefined()
  expect(JSON.parse(endState)).toMatchObject({ live: 2, servers: 1, orphans: 1 })
})

afterAll(() => console.log(`${caught.length} mutants caught\n${caught.join('\n')}`))
