import { isBuiltin } from 'node:module'
import { posix } from 'node:path'
import { bannedUses } from './banned.ts'
import { type House, type HousePackage, type Manifest, readHouse } from './packages.ts'
import { isTestFile, testsMayImport } from './rules.ts'
import { type Import, readSource } from './source.ts'
import type { Violation } from './violation.ts'

export interface HouseFile {
  /** From the repository's root, with `/`. */
  readonly path: string
  readonly text: string
}

/** Everything in these files that breaks a rule of the house. */
export function checkHouse(files: readonly HouseFile[]): Violation[] {
  const isManifest = ({ path }: HouseFile) => posix.basename(path) === 'package.json'
  const { house, violations } = readHouse(files.filter(isManifest))
  for (const each of house.packages) violations.push(...checkManifest(house, each))
  for (const { path, text } of files.filter(file => !isManifest(file))) {
    const source = readSource(path, text)
    violations.push(...source.imports.flatMap(found => checkImport(house, path, found)), ...bannedUses(source))
  }
  return violations
}

function checkManifest(house: House, each: HousePackage): Violation[] {
  const { dependencies, devDependencies } = each.manifest
  return [
    ...Object.keys(dependencies ?? {}).map(name => ({ name, forTests: false })),
    ...Object.keys(devDependencies ?? {}).map(name => ({ name, forTests: true })),
  ].flatMap(({ name, forTests }) => {
    const target = house.named(name)
    if (!target || mayImport(each, target, forTests)) return []
    const line = each.manifestText.split('\n').findIndex(text => text.includes(`"${name}"`)) + 1
    return [{ path: each.manifestPath, line, rule: 'direction', message: directionMessage(each, target) }]
  })
}

function checkImport(house: House, path: string, { specifier, line }: Import): Violation[] {
  const from = house.holding(path)
  const violation = (rule: string, message: string): Violation[] => [{ path, line, rule, message }]
  if (isBuiltin(specifier)) return []
  if (specifier.startsWith('.')) {
    const target = house.holding(posix.join(posix.dirname(path), specifier))
    if (target === from) return []
    return violation('door', `${specifier} reaches into ${target.directory || 'the root'}: import it by its name`)
  }

  const name = packageName(specifier)
  const target = house.named(name)
  if (target && !mayImport(from, target, isTestFile(path)))
    return violation('direction', directionMessage(from, target))
  if (target === from) return violation('door', `${specifier} is this package itself: import the file`)
  if (!declared(house, from, path).includes(name))
    return violation(
      'undeclared',
      `${name} is not in ${from.manifestPath}, where this file's dependencies are declared`,
    )
  const door = `.${specifier.slice(name.length)}`
  if (target && !Object.hasOwn(target.manifest.exports ?? {}, door))
    return violation('door', `${specifier} is not among the exports of ${target.manifestPath}`)
  return []
}

function mayImport(from: HousePackage, target: HousePackage, forTests: boolean): boolean {
  if (from === target) return true
  const allowed = [...from.floor.mayImport, ...(forTests ? testsMayImport : [])]
  return allowed.includes(target.floor.name)
}

const directionMessage = (from: HousePackage, target: HousePackage): string =>
  `${from.floor.name} may not import ${target.floor.name} (${target.manifest.name}); it may import ${
    from.floor.mayImport.join(', ') || 'nothing of ours'
  }`

/** `@stead/engine` of `@stead/engine/door`. */
const packageName = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

function declared(house: House, from: HousePackage, path: string): string[] {
  const own = ['dependencies', 'optionalDependencies', 'peerDependencies'] as const
  const needed = own.flatMap(field => Object.keys(from.manifest[field] ?? {}))
  // The root's development tools (vitest, fast-check) are there for every package's tests.
  const development = (manifest: Manifest) => Object.keys(manifest.devDependencies ?? {})
  if (from === house.root) return [...needed, ...development(from.manifest)]
  return isTestFile(path) ? [...needed, ...development(from.manifest), ...development(house.root.manifest)] : needed
}
