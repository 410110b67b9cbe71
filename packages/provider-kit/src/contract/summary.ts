import { groupNames } from '../capabilities.ts'
import type { Verdict } from './judge.ts'

/** What was tested and what was not, in a few lines. */
export function summary(name: string, verdicts: readonly Verdict[]): string {
  const counted = (outcome: Verdict['outcome']) => verdicts.filter(verdict => verdict.outcome === outcome).length
  const tested = new Set(verdicts.map(({ promise }) => promise.group))
  const listed = (wanted: boolean) => groupNames.filter(group => tested.has(group) === wanted).join(', ') || 'none'
  const skipped = verdicts.flatMap(verdict =>
    verdict.outcome === 'notTried' ? [`  not tried: "${verdict.promise.promise}" (${verdict.why})`] : [],
  )
  return [
    `provider contract, ${name}: ${counted('kept')} promises kept, ${counted('broken')} broken; ` +
      `groups tested: ${listed(true)}; not advertised: ${listed(false)}`,
    ...skipped,
  ].join('\n')
}
