import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test, vi } from 'vitest'
import { runSeed } from './example/run.ts'

// A busy machine may take ten times as long as an idle one. What never ends is ended by virtual time.
vi.setConfig({ testTimeout: 300_000 })

const traceOf = async (seed: number) => {
  const lines: string[] = []
  const { traceHash } = await runSeed(seed, { nodes: 3, print: line => lines.push(line) })
  return { traceHash, lines }
}

test('a seed is one run, to the last line', async () => {
  const first = await traceOf(7)
  await traceOf(8)
  const second = await traceOf(7)
  expect(second.lines).toEqual(first.lines)
  expect(second.traceHash).toBe(first.traceHash)
  expect(first.lines.length).toBeGreaterThan(200)
})

test('another seed is another run', async () =>
  expect((await traceOf(7)).traceHash).not.toBe((await traceOf(8)).traceHash))

test('npm run sim replays it in another process', async () => {
  const { traceHash, lines } = await traceOf(7)
  const main = fileURLToPath(new URL('main.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [main, '--seed', '7', '--nodes', '3', '--trace'])
  expect(stdout).toContain(`trace ${traceHash}`)
  expect(stdout).toContain(lines.at(-1))
})
