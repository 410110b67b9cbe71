import type { Report } from './report.ts'
import type { Measurement, Samples } from './rounds.ts'

/** What a chapter has to say once everything is measured. */
export type Findings = Pick<Report, 'tables' | 'floors' | 'losses'>

/** One subject of a report: what it measures, and what it makes of the samples. */
export interface Chapter {
  readonly measurements: readonly Measurement[]
  conclude(samples: Samples): Findings
}

export const joined = (findings: readonly Findings[]): Findings => ({
  tables: findings.flatMap(({ tables }) => tables),
  floors: findings.flatMap(({ floors }) => floors),
  losses: findings.flatMap(({ losses }) => losses),
})
