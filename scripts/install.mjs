// Runs before `npm start` and `npm test`, on whatever Node the machine has: installs what the lockfile says if it is not there yet.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = file => (existsSync(root + file) ? JSON.parse(readFileSync(root + file, 'utf8')) : undefined)

/** npm leaves a copy of the lockfile in node_modules; other platforms' optional packages are missing from it. */
function isInstalled() {
  const wanted = read('package-lock.json').packages
  const present = read('node_modules/.package-lock.json')?.packages
  if (!present) return false
  return Object.entries(wanted).every(
    ([path, entry]) =>
      path === '' || !path.includes('node_modules/') || entry.optional || present[path]?.version === entry.version,
  )
}

function install() {
  console.error('stead: installing dependencies (npm ci) …')
  const npm = process.env.npm_execpath
  // Node 20's npm warns about engines that the Node 24 we install satisfies: only errors are worth showing.
  const args = ['ci', '--loglevel=error', '--no-fund', '--no-audit']
  const { status } = npm
    ? spawnSync(process.execPath, [npm, ...args], { cwd: root, stdio: ['ignore', 2, 2] })
    : spawnSync('npm', args, { cwd: root, stdio: ['ignore', 2, 2] })
  if (status !== 0) {
    console.error('stead: npm ci failed; see above')
    process.exit(1)
  }
}

if (!isInstalled()) install()

if (!existsSync(`${root}node_modules/.bin/node`) && Number(process.versions.node.split('.')[0]) < 24) {
  console.error(
    `stead: needs Node 24. This is ${process.version}, and npm has no Node 24 package for ${process.platform}-${process.arch}: install Node 24 yourself`,
  )
  process.exit(1)
}
