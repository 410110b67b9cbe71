import { expect, test } from 'vitest'
import { asMarkdown, asText, columns } from './print.ts'
import { atLeast, atMost, hasFailed, type Report } from './report.ts'
import { inTurns, Samples } from './rounds.ts'

const show = (value: number) => `${value} ms`

const report = (over: Partial<Report>): Report => ({
  title: 'Speed',
  facts: [['Node', '24']],
  tables: [{ title: 'Times', columns: ['what', 'median'], rows: [['wake', '9 ms']], note: 'A note.' }],
  floors: [],
  losses: [],
  omitted: [],
  samples: new Samples(),
  ...over,
})

test('a floor is passed by what is on it or beyond, and failed by what is short of it', () => {
  const bar = { name: 'wake', bar: 10, show }
  expect(atMost({ ...bar, value: 10 })).toEqual({ name: 'wake', bar: '≤ 10 ms', measured: '10 ms', verdict: 'PASS' })
  expect(atMost({ ...bar, value: 10.1 }).verdict).toBe('FAIL')
  expect(atLeast({ ...bar, value: 10 }).verdict).toBe('PASS')
  expect(atLeast({ ...bar, value: 9.9 }).verdict).toBe('FAIL')
})

test('what is not a number passes no floor', () => {
  const bar = { name: 'wake', bar: 10, show, value: Number.NaN }
  expect([atMost(bar).verdict, atLeast(bar).verdict]).toEqual(['FAIL', 'FAIL'])
})

test('one failed floor fails the report', () => {
  const passed = atMost({ name: 'a', value: 1, bar: 2, show })
  const failed = atMost({ name: 'b', value: 3, bar: 2, show })
  expect(hasFailed(report({ floors: [passed] }))).toBe(false)
  expect(hasFailed(report({ floors: [passed, failed] }))).toBe(true)
})

test('text and page hold every part of a report, and no heading for a part that is empty', () => {
  const full = report({
    floors: [atMost({ name: 'wake', value: 3, bar: 2, show })],
    losses: ['etcd is faster'],
    omitted: ['etcd: not here'],
  })
  for (const print of [asText, asMarkdown]) {
    const text = print(full)
    for (const part of ['Speed', 'Node', '9 ms', 'A note.', 'FAIL', 'etcd is faster', 'etcd: not here'])
      expect(text).toContain(part)
    expect(print(report({}))).not.toContain('Left out')
  }
})

test('columns are as wide as their widest cell; numbers stand to the right', () => {
  expect(
    columns([
      ['writers', 'rate'],
      ['1', '12,000/s'],
      ['256', '900/s'],
    ]),
  ).toBe(['writers  rate', '      1  12,000/s', '    256     900/s'].join('\n'))
})

test('rounds are taken in turns', async () => {
  const runs: string[] = []
  const measurement = (name: string) => ({ name, run: async () => ({ turn: runs.push(name) }) })
  const samples = await inTurns([measurement('a'), measurement('b')], 2, () => {})
  expect(runs).toEqual(['a', 'b', 'a', 'b'])
  expect(samples.of('b', 'turn')).toEqual([2, 4])
  expect(() => samples.of('c', 'turn')).toThrow('c was not measured')
  expect(() => samples.of('a', 'rate')).toThrow('a has no rate')
})
