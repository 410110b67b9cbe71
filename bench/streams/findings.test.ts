import { expect, test } from 'vitest'
import { Samples } from '../harness/rounds.ts'
import { findings, idle } from './findings.ts'

const loads = [{ name: 'some', groups: [], terminals: 0 }]

/** What is read from the API, round by round; all else is the same. */
function measured(api: Readonly<Record<string, readonly number[]>>): Samples {
  const samples = new Samples()
  const rest = { memory: 1, processor: 1, loopP99: 1, apiP50: 1, stolen: 0 }
  const read = { linesPerSecond: 1, lineP50: 1, lineP99: 1, echoP50: 1, echoP99: 1, readersProcessor: 1 }
  for (const [name, rounds] of Object.entries(api))
    for (const apiP99 of rounds) samples.add(name, { ...rest, ...read, apiP99 })
  return samples
}

const floor = (api: Readonly<Record<string, readonly number[]>>) =>
  findings(measured(api), loads).floors.find(({ name }) => name.includes('GET'))

test('reads under load are set beside those when idle', () => {
  expect(floor({ [idle]: [2, 2, 2], some: [3, 3, 3] })).toMatchObject({ measured: '1.50 ×', verdict: 'PASS' })
  expect(floor({ [idle]: [2, 2, 2], some: [5, 5, 5] })).toMatchObject({ measured: '2.50 ×', verdict: 'FAIL' })
})

test('one idle round that was disturbed does not pass a floor that the others do not', () => {
  expect(floor({ [idle]: [2, 73, 2], some: [3, 5, 5] })).toMatchObject({ measured: '2.50 ×', verdict: 'FAIL' })
})
