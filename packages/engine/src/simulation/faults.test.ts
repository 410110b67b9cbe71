import { SeededRandom } from '@stead/world'
import { expect, test } from 'vitest'
import { drawMix, Faults, printReport } from './faults.ts'

const catalogue = {
  fire: { usual: 0.1, meaning: 'it burns' },
  flood: { usual: 0.2, meaning: 'it is wet' },
}
const newFaults = (options: { mix?: object; script?: { name: 'fire' | 'flood'; at: number }[] }) =>
  new Faults({ random: new SeededRandom(1), catalogue, ...options })
const times = <T>(count: number, ask: () => T) => Array.from({ length: count }, ask)

test('a scripted fault strikes at its occasion and at no other', () => {
  const faults = newFaults({ script: [{ name: 'fire', at: 3 }] })
  expect(times(5, () => faults.strikes('fire'))).toEqual([false, false, true, false, false])
  expect(faults.report).toEqual({ fire: { occasions: 5, hits: 1 }, flood: { occasions: 0, hits: 0 } })
})

test('one fault asked more often moves no other', () => {
  const mix = { fire: 0.5, flood: 0.5 }
  const alone = newFaults({ mix })
  const beside = newFaults({ mix })
  const floods = times(50, () => alone.strikes('flood'))
  expect(
    times(50, () => {
      beside.strikes('fire')
      return beside.strikes('flood')
    }),
  ).toEqual(floods)
  expect(new Set(floods).size).toBe(2)
})

test('once stopped nothing strikes and nothing is counted', () => {
  const faults = newFaults({ mix: { fire: 1 } })
  expect(faults.strikes('fire')).toBe(true)
  faults.stop()
  expect(faults.strikes('fire')).toBe(false)
  expect(faults.report.fire).toEqual({ occasions: 1, hits: 1 })
})

test('runs differ in how hostile they are, and each fault is absent from some', () => {
  const mixes = Array.from({ length: 200 }, (_, seed) => drawMix(catalogue, new SeededRandom(seed)))
  const likelihoods = mixes.map(mix => mix.fire ?? 0)
  expect(Math.max(...likelihoods)).toBeGreaterThan(0.3)
  expect(likelihoods.filter(likelihood => likelihood === 0).length).toBeGreaterThan(20)
  expect(likelihoods.filter(likelihood => likelihood > 0 && likelihood < 0.03).length).toBeGreaterThan(20)
})

test('the report names every fault, hit or not', () => {
  const faults = newFaults({ mix: { fire: 1 } })
  faults.strikes('fire')
  expect(printReport(catalogue, faults.report).split('\n')).toEqual([
    'fire        1 of        1  it burns',
    'flood       0 of        0  it is wet',
  ])
})
