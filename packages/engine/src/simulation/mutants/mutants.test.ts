import { afterAll, expect, test, vi } from 'vitest'
import { runSeed } from '../example/run.ts'
import { mutants } from './index.ts'

// A busy machine may take ten times as long as an idle one. What never ends is ended by virtual time.
vi.setConfig({ testTimeout: 300_000 })

/** A bug that so many runs do not show would be found by chance only. */
const seeds = 60

const caught: string[] = []

test.each(mutants)('$name is caught', async ({ name, parts, install, emphasis, caughtBy }) => {
  const remove = install?.()
  try {
    for (let seed = 1; seed <= seeds; seed++) {
      const { violation } = await runSeed(seed, { nodes: 3, ...(parts && { parts }), ...(emphasis && { emphasis }) })
      if (!violation) continue
      expect(caughtBy).toContain(violation.invariant)
      caught.push(`${name}: by "${violation.invariant}" with seed ${seed}`)
      return
    }
  } finally {
    remove?.()
  }
  expect.fail(`${seeds} seeds did not show it`)
})

afterAll(() => console.log(`${caught.length} mutants caught\n${caught.join('\n')}`))
