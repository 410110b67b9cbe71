import { temporaryDirectory, testWith } from '@stead/testing'
import { seconds, realWorld as world } from '@stead/world'
import { expect } from 'vitest'
import { Scratch } from '../harness/scratch.ts'
import { findings, measureStreams } from './suite.ts'

testWith(
  'bubblewrap',
  'lines and letters come to those who read, and every floor is judged by how long that took',
  async () => {
    const scratch = new Scratch(temporaryDirectory())
    const small = { printers: 2, linesPerSecond: 40, followers: 4, terminals: 2, duration: seconds(2) }
    const samples = await measureStreams(world, scratch, small, 1, () => {})
    // Two of each printer, who see 20 lines a second each for two seconds.
    expect(samples.of('with streams', 'lines')[0]).toBeGreaterThan(80)
    expect(samples.of('with streams', 'echoes')[0]).toBeGreaterThan(2)
    const { floors, tables } = findings(samples)
    expect(floors.map(({ name }) => name)).toEqual(['line, p99', 'GET p99, beside idle'])
    for (const { measured } of floors) expect(measured).toMatch(/\d/)
    expect(tables).toHaveLength(2)
  },
  120_000,
)
