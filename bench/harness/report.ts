import type { Samples } from './rounds.ts'

export interface Table {
  readonly title: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** How to read it, or what it leaves out. */
  readonly note?: string
}

/** A bar that must be passed. */
export interface Floor {
  readonly name: string
  readonly bar: string
  readonly measured: string
  readonly verdict: 'PASS' | 'FAIL'
}

export interface Report {
  readonly title: string
  readonly facts: readonly (readonly [string, string])[]
  readonly tables: readonly Table[]
  readonly floors: readonly Floor[]
  /** Where something else was better than ours. */
  readonly losses: readonly string[]
  /** What was left out, why, and how to have it. */
  readonly omitted: readonly string[]
  readonly samples: Samples
}

interface Bar {
  readonly name: string
  readonly value: number
  readonly bar: number
  readonly show: (value: number) => string
}

export const atLeast = ({ name, value, bar, show }: Bar): Floor => ({
  name,
  bar: `≥ ${show(bar)}`,
  measured: show(value),
  verdict: value >= bar ? 'PASS' : 'FAIL',
})

export const atMost = ({ name, value, bar, show }: Bar): Floor => ({
  name,
  bar: `≤ ${show(bar)}`,
  measured: show(value),
  verdict: value <= bar ? 'PASS' : 'FAIL',
})

export const hasFailed = (report: Report): boolean => report.floors.some(({ verdict }) => verdict === 'FAIL')
