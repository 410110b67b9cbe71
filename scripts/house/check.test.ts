import { describe, expect, test } from 'vitest'
import { checkHouse, type HouseFile } from './check.ts'

const manifest = (path: string, name: string, more: Record<string, unknown> = {}): HouseFile => ({
  path,
  text: JSON.stringify({ name, exports: { '.': './src/index.ts' }, ...more }, null, 2),
})
const needs = (...names: string[]) => ({ dependencies: Object.fromEntries(names.map(name => [name, '1.0.0'])) })

const house: readonly HouseFile[] = [
  manifest('package.json', 'root', { devDependencies: { vitest: '1.0.0', '@stead/testing': '1.0.0' } }),
  manifest('packages/world/package.json', '@stead/world'),
  manifest('packages/engine/package.json', '@stead/engine', needs('@stead/world')),
  manifest('packages/provider-kit/package.json', '@stead/provider-kit', needs('@stead/world')),
  manifest('packages/providers/local/package.json', '@stead/provider-local', needs('@stead/provider-kit')),
  manifest('packages/control/package.json', '@stead/control', needs('@stead/engine', 'typebox')),
  manifest('packages/sdk/package.json', '@stead/sdk'),
  manifest('packages/testing/package.json', '@stead/testing'),
  manifest('apps/stead/package.json', 'stead', needs('@stead/control', '@stead/engine')),
  manifest('apps/console/package.json', '@stead/console', needs('@stead/sdk')),
]

/** The rules a file breaks when it is put in this house, with the line. */
const broken = (path: string, text: string) =>
  checkHouse([...house, { path, text }]).map(violation => `${violation.line} ${violation.rule}`)

test('a house in order has nothing to say', () => expect(checkHouse(house)).toEqual([]))

describe('imports', () => {
  test.each([
    ['packages/engine/src/a.ts', '@stead/world'],
    ['packages/providers/local/src/a.ts', '@stead/provider-kit'],
    ['packages/control/src/a.ts', '@stead/engine'],
    ['packages/control/src/a.ts', 'typebox'],
    ['apps/stead/src/a.ts', '@stead/control'],
    ['apps/console/src/a.tsx', '@stead/sdk'],
    ['packages/engine/src/a.test.ts', '@stead/testing'],
    ['packages/engine/src/a.test.ts', 'vitest'],
    ['bench/store.ts', '@stead/testing'],
    ['packages/engine/src/a.ts', 'node:fs'],
    ['packages/engine/src/deep/a.ts', '../b.ts'],
  ])('%s may import %s', (path, specifier) => expect(broken(path, `import '${specifier}'`)).toEqual([]))

  test.each([
    ['packages/world/src/a.ts', '@stead/engine', 'direction'],
    ['packages/engine/src/a.ts', '@stead/control', 'direction'],
    ['packages/engine/src/a.ts', '@stead/provider-kit', 'direction'],
    ['packages/provider-kit/src/a.ts', '@stead/engine', 'direction'],
    ['packages/providers/local/src/a.ts', '@stead/engine', 'direction'],
    ['packages/control/src/a.ts', '@stead/provider-local', 'direction'],
    ['packages/sdk/src/a.ts', '@stead/world', 'direction'],
    ['apps/console/src/a.tsx', '@stead/control', 'direction'],
    ['apps/stead/src/a.ts', '@stead/console', 'direction'],
    ['packages/control/src/a.ts', 'stead', 'direction'],
    ['packages/engine/src/a.ts', '@stead/testing', 'direction'],
    ['packages/engine/src/a.test.ts', '@stead/control', 'direction'],
    ['packages/engine/src/a.ts', '../../world/src/instant.ts', 'door'],
    ['packages/engine/src/a.ts', '../../../scripts/house.ts', 'door'],
    ['packages/engine/src/a.ts', '@stead/world/src/real.ts', 'door'],
    ['packages/engine/src/a.ts', '@stead/engine', 'door'],
    ['packages/engine/src/a.ts', 'typebox', 'undeclared'],
    ['packages/engine/src/a.ts', 'vitest', 'undeclared'],
    ['packages/providers/local/src/a.ts', '@stead/world', 'undeclared'],
  ])('%s may not import %s: %s', (path, specifier, rule) =>
    expect(broken(path, `\nimport '${specifier}'`)).toEqual([`2 ${rule}`]),
  )

  test.each([
    "import type { A } from '@stead/control'",
    "export * from '@stead/control'",
    "export { a } from '@stead/control'",
    "const a = await import('@stead/control')",
    "type A = import('@stead/control').A",
  ])('however it is written: %s', text => expect(broken('packages/engine/src/a.ts', text)).toEqual(['1 direction']))

  test('a sentence about importing is no import', () =>
    expect(
      broken('packages/engine/src/a.ts', '// import "@stead/control"\nconst a = `import "@stead/control"`'),
    ).toEqual([]))
})

describe('package.json', () => {
  test('a declared dependency must point the right way too', () => {
    const upward = manifest('packages/world/package.json', '@stead/world', needs('@stead/engine'))
    const violations = checkHouse([...house.filter(({ path }) => path !== upward.path), upward])
    expect(violations).toMatchObject([{ path: 'packages/world/package.json', line: 7, rule: 'direction' }])
  })

  test('testing is a dependency of tests, never of the product', () => {
    const path = 'packages/sdk/package.json'
    const others = house.filter(file => file.path !== path)
    const testing = { '@stead/testing': '1.0.0' }
    expect(checkHouse([...others, manifest(path, '@stead/sdk', { devDependencies: testing })])).toEqual([])
    expect(checkHouse([...others, manifest(path, '@stead/sdk', { dependencies: testing })])).toMatchObject([
      { path, rule: 'direction' },
    ])
  })

  test('a package nobody gave a floor is refused', () =>
    expect(checkHouse([...house, manifest('packages/attic/package.json', '@stead/attic')])).toMatchObject([
      { path: 'packages/attic/package.json', rule: 'floor' },
    ]))
})

describe('time, chance and waiting', () => {
  const uses = [
    'Date.now()',
    'const now = Date.now',
    'new Date()',
    'Date()',
    'Math.random()',
    'performance.now()',
    'setTimeout(f, 1)',
    'setInterval(f, 1)',
    'setImmediate(f)',
    'promisify(setTimeout)',
    'globalThis.setTimeout(f, 1)',
    'AbortSignal.timeout(1)',
    "import { setTimeout as sleep } from 'node:timers/promises'",
  ]
  test.each(uses)('%s is refused in the product', text => {
    expect(broken('packages/engine/src/a.ts', `\n${text}`)).toContain('2 machine')
    expect(broken('apps/stead/src/a.ts', `\n${text}`)).toContain('2 machine')
    expect(broken('packages/world/src/ids.ts', `\n${text}`)).toContain('2 machine')
  })

  test.each([
    'packages/world/src/real.ts',
    'packages/world/src/virtual.ts',
    'packages/engine/src/a.test.ts',
    'packages/engine/src/store.suite.ts',
    'packages/engine/src/tests/writer.ts',
    'packages/testing/src/a.ts',
    'bench/store.ts',
    'scripts/a.mjs',
    'apps/console/src/a.tsx',
  ])('%s may ask the machine', path => expect(broken(path, uses.join('\n'))).toEqual([]))

  test.each([
    'new Date(moment)',
    'socket.setTimeout(1)',
    'const options = { setTimeout: 1 }',
    'clearTimeout(timer)',
    '// Date.now()',
    "const text = 'Date.now()'",
  ])('%s is fine', text => expect(broken('packages/engine/src/a.ts', text)).toEqual([]))
})

describe('shells', () => {
  test.each([
    "import { exec } from 'node:child_process'",
    "import { execSync as run } from 'child_process'",
    "import * as childProcess from 'node:child_process'; childProcess.exec('ls')",
    "import childProcess from 'node:child_process'; childProcess['execSync']('ls')",
    "const { exec } = await import('node:child_process')",
    "const childProcess = await import('node:child_process'); childProcess.exec('ls')",
    "(await import('node:child_process')).exec('ls')",
    "spawn('ls', { shell: true })",
  ])('%s is refused everywhere', text => {
    expect(broken('packages/engine/src/a.ts', text)).toEqual(['1 shell'])
    expect(broken('packages/engine/src/a.test.ts', text)).toEqual(['1 shell'])
    expect(broken('scripts/a.ts', text)).toEqual(['1 shell'])
  })

  test.each([
    "import { execFile, spawn } from 'node:child_process'",
    "const { execFile } = await import('node:child_process')",
    "/a/.exec('a')",
    "const user = { shell: '/bin/sh' }",
  ])('%s is fine', text => expect(broken('packages/engine/src/a.ts', text)).toEqual([]))
})
