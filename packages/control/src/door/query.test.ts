import Type from 'typebox'
import { expect, test } from 'vitest'
import { queryReader } from './query.ts'

const read = queryReader(
  Type.Object({
    limit: Type.Integer({ default: 50 }),
    ratio: Type.Optional(Type.Number()),
    follow: Type.Optional(Type.Boolean()),
    kinds: Type.Optional(Type.Array(Type.String())),
    ports: Type.Optional(Type.Array(Type.Integer())),
    name: Type.Optional(Type.String()),
  }),
)

test('text becomes what the schema says', () =>
  expect(read({ limit: '10', ratio: '0.5', follow: 'true', kinds: 'a,b', ports: ['1', '2'], name: '7' })).toEqual({
    limit: 10,
    ratio: 0.5,
    follow: true,
    kinds: ['a', 'b'],
    ports: [1, 2],
    name: '7',
  }))

test('what is not given, or empty, has its default or is absent', () =>
  expect(read({ name: '', limit: '' })).toEqual({ limit: 50 }))

test('what cannot be converted, or is unknown, is left for the validator to refuse', () =>
  expect(read({ limit: 'ten', ratio: '1e9', follow: 'yes', name: ['a', 'b'], toString: 'x' })).toEqual({
    limit: 'ten',
    ratio: '1e9',
    follow: 'yes',
    name: ['a', 'b'],
    toString: 'x',
  }))
