// `npm run lockfile`: installs, then makes package-lock.json whole.
// npm leaves other platforms' optional packages out of the lockfile when it could not, or need not, look at them
// (npm/cli#4828), and `npm ci` then refuses that lockfile everywhere. This adds what is missing, at the exact version asked for.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const systems = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32']
const processors = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64']
const libraries = { gnu: 'glibc', gnueabihf: 'glibc', musl: 'musl' }

/** Platform packages carry their platform in their name: `@biomejs/cli-linux-x64-musl`. */
function platformOf(name) {
  const parts = name.split(/[-/]/)
  const os = parts.filter(part => systems.includes(part))
  const cpu = parts.filter(part => processors.includes(part))
  const libc = parts.flatMap(part => libraries[part] ?? [])
  return { ...(cpu.length && { cpu }), ...(libc.length && { libc }), ...(os.length && { os }) }
}

/** The optional packages that `packages` (of a lockfile) ask for and do not have, as entries to add. */
export function missingEntries(packages) {
  const missing = {}
  for (const [path, entry] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      if (packages[`node_modules/${name}`] || packages[`${path}/node_modules/${name}`]) continue
      if (!/^\d+\.\d+\.\d+[\w.+-]*$/.test(version))
        throw new Error(`${path || 'the root'} wants ${name} ${version}: only an exact version can be filled in`)
      missing[`node_modules/${name}`] = {
        version,
        ...platformOf(name),
        ...(entry.dev && { dev: true }),
        optional: true,
      }
    }
  }
  return missing
}

function main() {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const file = `${root}package-lock.json`
  const { status } = spawnSync('npm', ['install', '--loglevel=error'], { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(1)
  const lockfile = JSON.parse(readFileSync(file, 'utf8'))
  const added = missingEntries(lockfile.packages)
  // npm sorts by the locale's order; the same order keeps the next `npm install` from reshuffling the file.
  const sorted = Object.entries({ ...lockfile.packages, ...added }).sort(([a], [b]) => a.localeCompare(b, 'en'))
  lockfile.packages = Object.fromEntries(sorted)
  writeFileSync(file, `${JSON.stringify(lockfile, null, 2)}\n`)
  for (const [path, { version }] of Object.entries(added)) console.log(`added ${path.slice(13)} ${version}`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main()
