import { afterAll, expect, test, vi } from 'vitest'
import { doorMutants } from './door-mutants.ts'
import { mutants } from './mutants.ts'
import { runSeed } from './run.ts'

// A busy machine may take ten times as long as an idle one. What never ends is ended by virtual time.
vi.setConfig({ testTimeout: 300_000 })

/** A bug that so many runs do not show would be found by chance only. */
const seeds = 30

const caught: string[] = []

test.each([...mutants, ...doorMutants])('$name: it is caught', async ({ name, bugs, emphasis, caughtBy }) => {
  for (let seed = 1; seed <= seeds; seed++) {
    const { violation } = await runSeed(seed, { nodes: 1, bugs, ...(emphasis && { emphasis }) })
    if (!violation) continue
    expect(caughtBy, violation.detail).toContain(violation.invariant)
    caught.push(`${name}: by "${violation.invariant}" with seed ${seed}`)
    return
  }
  expect.fail(`${seeds} seeds did not show it`)
})

afterAll(() => console.log(`${caught.length} mutants caught\n${caught.join('\n')}`))
