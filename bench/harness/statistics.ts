export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error('the median of nothing')
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** Round by round: what a slow minute does to both sides, a ratio does not show. */
export function ratios(above: readonly number[], below: readonly number[]): number[] {
  if (above.length !== below.length) throw new Error(`${above.length} rounds beside ${below.length}`)
  return above.map((value, round) => value / below[round]!)
}
