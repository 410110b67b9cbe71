import { expect, test } from 'vitest'
import { carryEnvironment, expand, portVariable } from './environment.ts'

test('what makes programs load or run something is not carried outside of a sandbox', () => {
  const dangerous = ['LD_PRELOAD', 'LD_AUDIT', 'GCONV_PATH', 'BASH_ENV', 'ENV', 'SHELLOPTS', 'PS4', 'IFS', 'LOCPATH']
  const env = Object.fromEntries([...dangerous, 'PLAIN', 'PATH'].map(name => [name, 'x']))
  const { carried, inside } = carryEnvironment(env)
  expect(carried).toEqual({ PLAIN: 'x', PATH: 'x' })
  expect(inside).toEqual(dangerous.map(name => `${name}=x`))
})

test('$(NAME) is the service’s own environment, and what is unknown or doubled stays text', () => {
  const env = { A: '1', 'with.dot': '2' }
  expect(expand('$(A)-$(with.dot)-$(NONE)-$$(A)-$A', env)).toBe('1-2-$(NONE)-$(A)-$A')
})

test('a port is found under its name in capitals', () => {
  expect(portVariable('http-2')).toBe('PORT_HTTP_2')
})
