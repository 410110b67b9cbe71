/** Names, and the names each waits for. */
export type Dependencies = ReadonlyMap<string, readonly string[]>

/** Some names that wait for each other in a circle, in order; undefined when there are none. */
export function findCycle(dependencies: Dependencies): readonly string[] | undefined {
  const done = new Set<string>()
  const path: string[] = []
  const visit = (name: string): readonly string[] | undefined => {
    if (done.has(name) || !dependencies.has(name)) return undefined
    const from = path.indexOf(name)
    if (from >= 0) return path.slice(from)
    path.push(name)
    for (const other of dependencies.get(name)!) {
      const cycle = visit(other)
      if (cycle) return cycle
    }
    path.pop()
    done.add(name)
    return undefined
  }
  for (const name of dependencies.keys()) {
    const cycle = visit(name)
    if (cycle) return cycle
  }
  return undefined
}
