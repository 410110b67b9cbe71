import Type from 'typebox'
import { describe, expect, test } from 'vitest'
import { secret } from './secret.ts'
import { validator } from './validator.ts'

const Color = Type.Union([Type.Literal('red'), Type.Literal('blue')])
const Machine = Type.Object({ machine: Type.Object({ flavor: Type.String(), disk: Type.Optional(Type.Integer()) }) })
const Services = Type.Object({
  services: Type.Record(Type.String({ pattern: '^[a-z]+$' }), Type.Object({ image: Type.String() })),
})
const Spec = Type.Object({
  size: Type.Integer({ minimum: 1 }),
  color: Type.Optional(Color),
  source: Type.Optional(Type.Union([Machine, Services])),
  until: Type.Optional(Type.Union([Type.String({ format: 'date-time' }), Type.Null()])),
  password: Type.Optional(secret(Type.String({ maxLength: 5 }))),
})
const { errors } = validator(Spec)

describe('a value that does not fit', () => {
  test('is told every field that is wrong, each by its pointer', () =>
    expect(errors({ size: 0, color: 'green', colour: 'red', source: { machine: {} } })).toEqual([
      { path: '/color', message: 'must be one of "red", "blue"' },
      { path: '/colour', message: 'is not a known field' },
      { path: '/size', message: 'must be >= 1' },
      { path: '/source/machine/flavor', message: 'is required' },
    ]))

  test('of a union is measured by the branch it was meant for', () => {
    expect(errors({ size: 1, source: { machine: { flavor: 1, disc: 3 } } })).toEqual([
      { path: '/source/machine/disc', message: 'is not a known field' },
      { path: '/source/machine/flavor', message: 'must be string' },
    ])
    expect(errors({ size: 1, source: { services: { web: {} } } })).toEqual([
      { path: '/source/services/web/image', message: 'is required' },
    ])
  })

  test('of a union of plain values is told all of them', () => {
    expect(errors({ size: 1, until: 3 })).toEqual([{ path: '/until', message: 'must be string or null' }])
    expect(errors({ size: 1, until: 'tomorrow' })).toEqual([
      { path: '/until', message: 'must match format "date-time"' },
    ])
  })

  test('is never shown again: it may be a secret', () => {
    const told = JSON.stringify(errors({ size: 'hunter2', color: 'hunter2', until: 'hunter2', password: 'hunter2' }))
    expect(told).not.toContain('hunter2')
  })

  test('has its field names escaped as RFC 6901 says', () =>
    expect(errors({ size: 1, 'a/b~c': 1 })).toEqual([{ path: '/a~1b~0c', message: 'is not a known field' }]))
})

test('a name that no pattern of a map allows is refused like any unknown field', () =>
  expect(errors({ size: 1, source: { services: { 'No way': { image: 'x' } } } })).toEqual([
    { path: '/source/services/No way', message: 'is not a known field' },
  ]))

test('fields of intersected objects are all known, and no others', () => {
  const both = validator(Type.Intersect([Spec, Type.Object({ extra: Type.String() })]))
  expect(both.errors({ size: 1, extra: 'x' })).toEqual([])
  expect(both.errors({ size: 1, other: 'x' })).toEqual([
    { path: '/extra', message: 'is required' },
    { path: '/other', message: 'is not a known field' },
  ])
})

test('an object that says that more may be there lets it through', () => {
  const open = validator(Type.Object({ values: Type.Object({}, { additionalProperties: true }) }))
  expect(open.errors({ values: { anything: [1] } })).toEqual([])
})

test('the name of an unknown field is not repeated at any length', () =>
  expect(errors({ size: 1, ['x'.repeat(100_000)]: 1 })[0]!.path).toHaveLength(256))

test('a great many errors are cut off', () => {
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`field${index}`, 1]))
  expect(errors(many)).toHaveLength(50)
})
