import { join } from 'node:path'

/** A log is a row of files, each numbered one higher than the one before. The oldest are removed. */
export interface Retention {
  readonly segmentBytes: number
  readonly segments: number
}

export const defaultRetention: Retention = { segmentBytes: 4 * 2 ** 20, segments: 5 }

export const segmentPath = (directory: string, number: number): string =>
  join(directory, `${String(number).padStart(8, '0')}.log`)

export const segmentNumbers = (names: readonly string[]): number[] =>
  names
    .filter(name => /^\d{8}\.log$/.test(name))
    .map(name => Number.parseInt(name, 10))
    .sort((a, b) => a - b)
