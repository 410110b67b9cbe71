import { afterAll, expect, test, vi } from 'vitest'
import { doorMutants } from './door-mutants.ts'
import { mutants, never } from './mutants.ts'
import { runSeed } from './run.ts'
import { serverMutants } from './server-mutants.ts'

// A busy machine may take ten times as long as an idle one. What never ends is ended by virtual time.
vi.setConfig({ testTimeout: 300_000 })

/** A bug that so many runs do not show would be found by chance only. */
const seeds = 30

const caught: string[] = []

const all = [...mutants, ...doorMutants, ...serverMutants]

test.each(all)('$name: it is caught', async ({ name, bugs, emphasis, stray = false, caughtBy, missing }) => {
  for (let seed = 1; seed <= seeds; seed++) {
    const { violation } = await runSeed(seed, { nodes: 1, bugs, stray, ...(emphasis && { emphasis }) })
    if (!violation) continue
    expect(caughtBy, violation.detail).toContain(violation.invariant)
    if (violation.invariant === never) expect(violation.detail).toMatch(missing!)
    caught.push(`${name}: by "${violation.invariant}" with seed ${seed}`)
    return
  }
  expect.fail(`${seeds} seeds did not show it`)
})

test('what nobody here ever had is left alone, whatever becomes of instances', async () => {
  expect((await runSeed(1, { nodes: 1, stray: true })).violation).toBeUndefined()
})

afterAll(() => console.log(`${caught.length} mutants caught\n${caught.join('\n')}`))
