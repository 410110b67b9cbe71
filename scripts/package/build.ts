import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Compiled, compile, readDoors } from './compile.ts'
import { lockedFor } from './shrinkwrap.ts'

const entry = 'apps/stead/src/main.js'

/** Writes the package `stead`, ready to be packed, into a directory of its own. */
export function buildPackage(root: string, directory: string): void {
  rmSync(directory, { recursive: true, force: true })
  const files = compile(root, entry, readDoors(root))
  for (const { path, text } of files) write(directory, path, text)
  const homes = homesOf(root, files)
  // What programs read besides code: SQL, and their own version.
  for (const home of homes)
    for (const asset of globSync('src/**/*.{sql,py}', { cwd: join(root, home), exclude: ['**/tests/**'] }))
      copy(root, directory, join(home, asset))
  for (const file of ['LICENSE', 'README.md', 'CHANGELOG.md']) copy(root, directory, file)
  for (const file of globSync('packaging/*', { cwd: root })) copy(root, directory, file)

  const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'))
  const { name, version, license } = read('apps/stead/package.json')
  const { description } = read('package.json')
  const ours = homes.flatMap(home => Object.entries<string>(read(join(home, 'package.json')).dependencies ?? {}))
  const dependencies = Object.fromEntries(ours.filter(([each]) => !each.startsWith('@stead/')).sort())
  const manifest = { name, version, description, license, type: 'module', engines: { node: '>=24' } }
  const whole = { ...manifest, bin: { stead: entry }, dependencies }
  write(directory, 'package.json', `${JSON.stringify(whole, null, 2)}\n`)
  write(directory, 'apps/stead/package.json', `${JSON.stringify({ name, version, type: 'module' }, null, 2)}\n`)
  const packages = lockedFor(read('package-lock.json').packages, Object.keys(dependencies))
  const locked = { name, version, lockfileVersion: 3, requires: true, packages: { '': whole, ...packages } }
  write(directory, 'npm-shrinkwrap.json', `${JSON.stringify(locked, null, 2)}\n`)
}

/** The packages of ours that files are from. */
const homesOf = (root: string, files: readonly Compiled[]): readonly string[] =>
  globSync('{apps,packages,packages/providers}/*/package.json', { cwd: root })
    .map(dirname)
    .filter(home => files.some(({ path }) => path.startsWith(`${home}/`)))

function write(directory: string, path: string, text: string): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true })
  writeFileSync(join(directory, path), text)
}

function copy(root: string, directory: string, path: string): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true })
  copyFileSync(join(root, path), join(directory, path))
}
