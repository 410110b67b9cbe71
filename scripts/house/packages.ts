import { dirname } from 'node:path'
import { type Floor, floors } from './rules.ts'
import type { Violation } from './violation.ts'

export interface Manifest {
  readonly name: string
  readonly exports?: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** One package of the house. */
export interface HousePackage {
  /** '' for the root. */
  readonly directory: string
  readonly manifestPath: string
  readonly manifestText: string
  readonly manifest: Manifest
  readonly floor: Floor
}

export interface House {
  readonly packages: readonly HousePackage[]
  /** By the name it is imported with. */
  named(name: string): HousePackage | undefined
  /** The package a file belongs to: the one in the nearest directory above it. */
  holding(path: string): HousePackage
  readonly root: HousePackage
}

const directoryOf = (path: string) => (dirname(path) === '.' ? '' : dirname(path))

export function readHouse(manifests: readonly { readonly path: string; readonly text: string }[]): {
  house: House
  violations: Violation[]
} {
  const violations: Violation[] = []
  const packages = manifests.flatMap(({ path, text }) => {
    const directory = directoryOf(path)
    const floor = floors.find(({ where }) => where.test(directory))
    if (floor)
      return [{ directory, manifestPath: path, manifestText: text, manifest: JSON.parse(text) as Manifest, floor }]
    const message = `${directory} stands on no floor: add it to floors in scripts/house/rules.ts`
    violations.push({ path, line: 1, rule: 'floor', message })
    return []
  })
  const byName = new Map(packages.map(each => [each.manifest.name, each]))
  const byDirectory = new Map(packages.map(each => [each.directory, each]))
  const root = byDirectory.get('')
  if (!root) throw new Error('the house has no package.json at its root')
  const house: House = {
    packages,
    root,
    named: name => byName.get(name),
    holding(path) {
      for (let directory = directoryOf(path); directory !== ''; directory = directoryOf(directory)) {
        const found = byDirectory.get(directory)
        if (found) return found
      }
      return root
    },
  }
  return { house, violations }
}
