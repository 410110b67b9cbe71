import type { FaultReport, ScriptedFault } from './faults.ts'

/** Every occasion that a run had for one of these faults: to have the same run again, once with each. */
export const pointsOf = <Name extends string>(
  report: FaultReport<Name>,
  names: readonly Name[],
): readonly ScriptedFault<Name>[] =>
  names.flatMap(name => Array.from({ length: report[name].occasions }, (_, index) => ({ name, at: index + 1 })))

/** Two of them together, where the second comes soon after the first: its occasions number about as many by then. */
export function pairsOf<Name extends string>(
  report: FaultReport<Name>,
  names: readonly Name[],
  distance: number,
): readonly (readonly [ScriptedFault<Name>, ScriptedFault<Name>])[] {
  const near = Array.from({ length: distance + 1 }, (_, index) => index)
  return pointsOf(report, names).flatMap(first =>
    names.flatMap(name =>
      near
        .filter(further => further > 0 || name !== first.name)
        .map(further => [first, { name, at: first.at + further }] as const),
    ),
  )
}
