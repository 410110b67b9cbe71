// `npm run package`: writes the installable package into dist/, as a directory and as what `npm i -g` takes.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildPackage } from './package/build.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
buildPackage(root, join(dist, 'stead'))
execFileSync('npm', ['pack', '--silent', '--pack-destination', dist], { cwd: join(dist, 'stead'), stdio: 'inherit' })
