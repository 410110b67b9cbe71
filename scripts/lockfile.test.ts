import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { missingEntries } from './lockfile.mjs'

test('the lockfile has every platform\u2019s optional packages, so npm ci accepts it everywhere', () => {
  const { packages } = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'))
  expect(missingEntries(packages)).toEqual({})
})

test('an optional package that is not in the lockfile is added for its platform only', () => {
  const packages = {
    '': {},
    'node_modules/tool': {
      dev: true,
      optionalDependencies: {
        '@tool/linux-x64': '1.2.3',
        '@tool/linux-arm64-musl': '1.2.3',
        'tool-darwin-x64': '1.2.3',
      },
    },
    'node_modules/@tool/linux-x64': { version: '1.2.3' },
    'node_modules/tool/node_modules/tool-darwin-x64': { version: '1.2.3' },
  }
  expect(missingEntries(packages)).toEqual({
    'node_modules/@tool/linux-arm64-musl': {
      version: '1.2.3',
      cpu: ['arm64'],
      libc: ['musl'],
      os: ['linux'],
      dev: true,
      optional: true,
    },
  })
})

test('a range is refused: which version it means is not ours to guess', () =>
  expect(() => missingEntries({ '': { optionalDependencies: { 'tool-linux-x64': '^1.0.0' } } })).toThrow(
    'only an exact version',
  ))
