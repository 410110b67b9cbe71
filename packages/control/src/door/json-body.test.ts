import { expect, test } from 'vitest'
import { parseJsonBody } from './json-body.ts'

test('JSON is read, and an empty body is none', () => {
  expect(parseJsonBody('{"a":[1,null,"é"]}')).toEqual({ a: [1, null, 'é'] })
  expect(parseJsonBody('')).toBeUndefined()
  expect(parseJsonBody(' \n')).toBeUndefined()
})

test('malformed JSON is refused without quoting it', () => {
  expect(() => parseJsonBody('{"password": hunter2}')).toThrow('the body is not valid JSON')
})

test.each([
  ['{"a":{"b":"x\\u0000y"}}', '/a/b'],
  ['{"a":["\\ud800"]}', '/a/0'],
  ['{"a\\u0000":1}', ''],
  ['{"a":{"__proto__":{"admin":true}}}', '/a'],
  [`${'['.repeat(10_000)}${']'.repeat(10_000)}`, '/0'.repeat(64)],
])('%.30s is refused at %s', (text, path) => {
  expect(() => parseJsonBody(text)).toThrow(
    expect.objectContaining({ code: 'invalid_request', details: { errors: [expect.objectContaining({ path })] } }),
  )
})
