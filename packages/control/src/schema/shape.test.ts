import Type from 'typebox'
import { describe, expect, test } from 'vitest'
import { jsonSchema } from './json-schema.ts'
import { holdsSecrets, redactor, secret } from './secret.ts'
import { shapeOf } from './shape.ts'

const Thing = Type.Object({
  id: Type.String(),
  parts: Type.Array(Type.Object({ name: Type.String() })),
  labels: Type.Record(Type.String(), Type.String()),
  source: Type.Union([
    Type.Object({ machine: Type.Object({ flavor: Type.String() }) }),
    Type.Object({ files: Type.Record(Type.String(), Type.Object({ size: Type.Integer() })) }),
    Type.Null(),
  ]),
  values: Type.Optional(Type.Unknown()),
})
const cut = shapeOf(jsonSchema(Thing))

describe('cutting a value to its schema', () => {
  test('leaves out what the schema does not name, at every depth', () =>
    expect(
      cut({
        id: 'a',
        internal: 1,
        parts: [{ name: 'x', internal: 1 }],
        labels: { any: 'thing' },
        source: { machine: { flavor: 'small', internal: 1 }, internal: 1 },
      }),
    ).toEqual({
      id: 'a',
      parts: [{ name: 'x' }],
      labels: { any: 'thing' },
      source: { machine: { flavor: 'small' } },
    }))

  test('shows nothing of an object whose schema names no field', () =>
    expect(shapeOf(jsonSchema(Type.Object({ status: Type.Object({}) })))({ status: { internal: 1 } })).toEqual({
      status: {},
    }))

  test('keeps whichever branch of a union is there', () => {
    const files = { id: 'a', parts: [], labels: {}, source: { files: { x: { size: 1 } } } }
    expect(cut(files)).toEqual(files)
    const none = { id: 'a', parts: [], labels: {}, source: null }
    expect(cut(none)).toEqual(none)
  })

  test('keeps everything where the schema allows anything', () => {
    const free = { id: 'a', parts: [], labels: {}, source: null, values: { deep: [{ x: 1 }] } }
    expect(cut(free)).toEqual(free)
  })

  test('does not touch the value itself, which others share', () => {
    const value = { id: 'a', internal: 1, parts: [], labels: {}, source: null }
    cut(value)
    expect(value).toHaveProperty('internal')
  })
})

describe('redacting', () => {
  const Account = Type.Object({
    user: Type.String(),
    password: secret(Type.String()),
    keys: Type.Array(secret(Type.Object({ pem: Type.String() }))),
    login: Type.Union([Type.Object({ token: Type.String() }), Type.Object({ token: secret(Type.String()) })]),
  })
  const value = { user: 'ada', password: 'p', keys: [{ pem: 'k' }], login: { token: 't' }, internal: 'i' }

  test('replaces what is marked secret, in any branch, and leaves out what is unknown', () =>
    expect(redactor(Account)(value)).toEqual({
      user: 'ada',
      password: '[redacted]',
      keys: ['[redacted]'],
      login: { token: '[redacted]' },
    }))

  test('a schema knows whether it holds secrets', () => {
    expect(holdsSecrets(Account)).toBe(true)
    expect(holdsSecrets(Type.Object({ user: Type.String() }))).toBe(false)
    expect(holdsSecrets(Type.Object({ password: secret(Type.String({ writeOnly: true })) }))).toBe(false)
  })

  test('secrets are kept where nobody asks for redaction: that is how a token is shown once', () =>
    expect(shapeOf(jsonSchema(Account))(value)).toEqual({
      user: 'ada',
      password: 'p',
      keys: [{ pem: 'k' }],
      login: { token: 't' },
    }))
})

test('what we cannot read as a tree is refused when it is defined', () => {
  expect(() => jsonSchema(Type.Ref('Elsewhere'))).toThrow('refers to Elsewhere')
  expect(() => jsonSchema(Type.Tuple([Type.String()]))).toThrow('tuple')
  expect(() => jsonSchema(Type.Intersect([Type.String(), Type.Object({ a: Type.String() })]))).toThrow('intersects')
})
