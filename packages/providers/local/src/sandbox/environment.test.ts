import { expect, test } from 'vitest'
import { carryEnvironment } from './environment.ts'

test('what makes programs load or run something is not carried outside of a sandbox', () => {
  const dangerous = [
    'LD_PRELOAD',
    'LD_AUDIT',
    'GCONV_PATH',
    'BASH_ENV',
    'ENV',
    'SHELLOPTS',
    'PS4',
    'IFS',
    'LOCPATH',
    'PERL5OPT',
    'PERL5LIB',
  ]
  const env = Object.fromEntries([...dangerous, 'PLAIN', 'PATH'].map(name => [name, 'x']))
  const { carried, inside } = carryEnvironment(env)
  expect(carried).toEqual({ PLAIN: 'x', PATH: 'x' })
  expect(inside).toEqual(dangerous.map(name => `${name}=x`))
})
