import { expect, test } from 'vitest'
import { expand, portVariable } from './environment.ts'

test('$(NAME) is the service’s own environment, and what is unknown or doubled stays text', () => {
  const env = { A: '1', 'with.dot': '2' }
  expect(expand('$(A)-$(with.dot)-$(NONE)-$$(A)-$A', env)).toBe('1-2-$(NONE)-$(A)-$A')
})

test('a port is found under its name in capitals', () => {
  expect(portVariable('http-2')).toBe('PORT_HTTP_2')
})
