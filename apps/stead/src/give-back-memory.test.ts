import { join } from 'node:path'
import { temporaryDirectory } from '@stead/testing'
import { seconds } from '@stead/world'
import { expect, onTestFinished, test } from 'vitest'
import { decide } from './give-back-memory.ts'
import { Program } from './tests/program.ts'

const megabyte = 2 ** 20
const tellHeap = new URL('./tests/tell-heap.mjs', import.meta.url).href

test('memory is given back when it is quiet and there is enough to give', () => {
  const quiet = {
    busyShare: 0.02,
    quietFor: seconds(60),
    heapBytes: 100 * megabyte,
    keptBytes: 60 * megabyte,
    hints: 6,
  }
  expect(decide(quiet)).toBe('collect')
  expect(decide({ ...quiet, keptBytes: 0 })).toBe('collect')
  expect(decide({ ...quiet, busyShare: 0.3 })).toBe('leave')
  expect(decide({ ...quiet, keptBytes: 80 * megabyte })).toBe('leave')
})

test('after a start it is given back at once, after a burst when no other has come for a while', () => {
  const quiet = { busyShare: 0.02, quietFor: seconds(2), heapBytes: 100 * megabyte, hints: 0 }
  expect(decide({ ...quiet, keptBytes: 0 })).toBe('collect')
  expect(decide({ ...quiet, keptBytes: 60 * megabyte })).toBe('leave')
})

test('a large heap is never collected at once', () => {
  const large = { busyShare: 0.02, quietFor: seconds(60), heapBytes: 900 * megabyte, hints: 2 }
  expect(decide({ ...large, keptBytes: 0 })).toBe('hint')
  expect(decide({ ...large, keptBytes: 500 * megabyte })).toBe('hint')
  expect(decide({ ...large, keptBytes: 850 * megabyte })).toBe('leave')
  expect(decide({ ...large, keptBytes: 0, hints: 6 })).toBe('leave')
})

test('what only the start needed is given back, and load may have it again', async () => {
  const args = ['serve', '--listen', '127.0.0.1:0', '--data', join(temporaryDirectory(), 'data')]
  const program = new Program(args, { env: { NODE_OPTIONS: `--import ${tellHeap}` } })
  onTestFinished(() => void program.process.kill('SIGKILL'))
  await program.listening()
  const young = () => Number([...program.stderr.matchAll(/^young space (\d+)$/gm)].at(-1)?.[1])
  const small = 8 * megabyte
  const patience = { interval: 100, timeout: 60_000 }
  await expect.poll(young, patience).toBeLessThanOrEqual(small)
  program.process.kill('SIGUSR2')
  await expect.poll(young, patience).toBeGreaterThan(small)
}, 130_000)
