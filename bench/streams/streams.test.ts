import { temporaryDirectory, testWith } from '@stead/testing'
import { seconds, realWorld as world } from '@stead/world'
import { expect } from 'vitest'
import { Scratch } from '../harness/scratch.ts'
import { findings } from './findings.ts'
import { measureStreams } from './suite.ts'

testWith(
  'bubblewrap',
  'lines and letters come to those who read, and every floor is judged by how long that took',
  async () => {
    const scratch = new Scratch(temporaryDirectory())
    const groups = [
      { logs: 1, lines: 20, followers: 3 },
      { logs: 2, lines: 10, followers: 1 },
    ]
    const loads = [{ name: 'some', groups, terminals: 2 }]
    const samples = await measureStreams(world, scratch, { loads, duration: seconds(2), rounds: 1 }, () => {})
    // Three see 20 lines a second, and two 10, for two seconds.
    expect(samples.of('some', 'lines')[0]).toBeGreaterThan(80)
    expect(samples.of('some', 'echoP50')[0]).toBeGreaterThan(0)
    const { floors, tables } = findings(samples, loads)
    expect(floors.map(({ name }) => name)).toEqual(['some: line, p99', 'some: GET p99, beside idle'])
    for (const { measured } of floors) expect(measured).toMatch(/\d/)
    expect(tables).toHaveLength(2)
  },
  120_000,
)
