import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { Program } from './tests/program.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

async function output(args: string[], env: NodeJS.ProcessEnv = {}) {
  const program = new Program(args, { env })
  const { code } = await program.exited
  return { code, stdout: program.stdout, stderr: program.stderr }
}

test('version says which it is, and which source it was packaged from', async () => {
  expect(await output(['version'])).toEqual({
    code: 0,
    stdout: `stead ${version} (Node ${process.version})\n`,
    stderr: '',
  })
  expect(await output(['--version'])).toEqual(await output(['version']))
  expect((await output(['version'], { STEAD_REVISION: 'abc123' })).stdout).toContain('abc123')
})

test('help shows every way to set a setting, and its default', async () => {
  const { code, stdout } = await output(['serve', '--help'])
  expect(code).toBe(0)
  for (const text of ['--listen <host:port>', 'STEAD_LISTEN', '127.0.0.1:7400', '--behind-proxy', 'STEAD_DATABASE'])
    expect(stdout.replace(/\s+/g, ' ')).toContain(text)
})

test('whoever has read enough is not told of a bug', () => {
  const main = fileURLToPath(new URL('main.js', import.meta.url))
  const script = `{ "$0" "$1" serve --help; echo "ended with $?" >&2; } | true`
  const { stderr } = spawnSync('sh', ['-c', script, process.execPath, main], { encoding: 'utf8' })
  expect(stderr).toBe('ended with 0\n')
})

test('a command it does not know is wrong usage', async () => {
  const { code, stderr } = await output(['sreve'])
  expect(code).toBe(2)
  expect(stderr).toContain("unknown command 'sreve'")
})

test('doctor says what this machine isolates and limits, for people and for programs', async () => {
  const { code, stdout } = await output(['doctor'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^local: services as processes of this machine, isolation (full|basic|none)\n {2}keeps: /)
  expect(stdout).toMatch(/\n {2}limits \(control groups (v1|v2|none)\): /)
  const { local } = JSON.parse((await output(['doctor', '--json'])).stdout)
  expect(stdout).toContain(`isolation ${local.level}`)
  expect(local.missing).toBeTypeOf('object')
  expect(stdout).toMatch(/\ndocker: .*\npodman: /)
})
