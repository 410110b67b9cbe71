/** An entry of a lockfile, as far as it matters here. */
interface Entry {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly [more: string]: unknown
}

/** The entries that some packages need, with all that those need: who installs Stead gets what it was tested with. */
export function lockedFor(packages: Readonly<Record<string, Entry>>, names: readonly string[]): Record<string, Entry> {
  const found = new Map<string, Entry>()
  const waiting = names.map(name => `node_modules/${name}`)
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const entry = packages[path]
    if (!entry || found.has(path)) continue
    const { dev: _dev, ...kept } = entry
    found.set(path, kept)
    for (const name of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies }))
      waiting.push(nearest(packages, path, name))
  }
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Where Node finds a package, seen from another: inside it, or beside one of those around it. */
function nearest(packages: Readonly<Record<string, Entry>>, from: string, name: string): string {
  for (let around = from; around !== ''; around = around.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, '')) {
    const path = `${around}/node_modules/${name}`
    if (packages[path]) return path
  }
  return `node_modules/${name}`
}
