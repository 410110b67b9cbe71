import { execFileSync, spawn } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { freePort, temporaryDirectory } from '@stead/testing'
import { expect, onTestFinished, test } from 'vitest'
import { buildPackage } from './build.ts'
import { lockedFor } from './shrinkwrap.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const quiet = ['--no-audit', '--no-fund', '--loglevel=error']

test('what is packed is installed into an empty folder, and serves and runs from there', async () => {
  const here = temporaryDirectory()
  buildPackage(root, join(here, 'package'))
  expect(globSync('**/*.ts', { cwd: join(here, 'package') }), 'nothing is left to be compiled').toEqual([])
  const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', here], { cwd: join(here, 'package') })
  const home = join(here, 'home')
  // What `npm ci` has brought is in npm's cache, by its checksum: only which versions there are may have to be asked.
  const install = ['install', '--prefer-offline', ...quiet, '--prefix', home, join(here, packed.toString().trim())]
  execFileSync('npm', install, { stdio: 'pipe' })

  const program = join(home, 'node_modules', '.bin', 'stead')
  const env = { HOME: home, PATH: [dirname(process.execPath), process.env.PATH].join(delimiter) }
  const stead = (...args: string[]) => execFileSync(program, args, { cwd: home, env, encoding: 'utf8', stdio: 'pipe' })
  const { version } = JSON.parse(readFileSync(join(root, 'apps/stead/package.json'), 'utf8'))
  expect(stead('version')).toContain(`stead ${version} `)

  const args = ['serve', '--listen', `127.0.0.1:${await freePort()}`, '--simulated-region', '--find-regions', 'false']
  const serving = spawn(program, args, { cwd: home, env, stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = new Promise(resolve => serving.on('close', resolve))
  onTestFinished(async () => {
    serving.kill('SIGKILL')
    await ended
  })
  for await (const line of createInterface(serving.stdout)) if (line.includes('listening on')) break
  expect(stead('run', 'web', '--', 'x')).toBe('web is running\n')
  expect(stead('ps', '-o', 'name')).toBe('web\n')
  expect(stead('backup', join(here, 'backup'))).toMatch(/^Backed up/)
  expect(existsSync(join(here, 'backup'))).toBe(true)
}, 240_000)

test('what a package needs is locked with all that it needs, each where Node would find it', () => {
  const packages = {
    '': { dependencies: { a: '1' } },
    'node_modules/a': { version: '1', dependencies: { b: '1', c: '1' } },
    'node_modules/a/node_modules/b': { version: '1', dependencies: { c: '1' } },
    'node_modules/b': { version: '2', dependencies: { d: '1' } },
    'node_modules/c': { version: '1', dev: true },
    'node_modules/d': { version: '1' },
  }
  expect(lockedFor(packages, ['a'])).toEqual({
    'node_modules/a': packages['node_modules/a'],
    'node_modules/a/node_modules/b': packages['node_modules/a/node_modules/b'],
    'node_modules/c': { version: '1' },
  })
})
