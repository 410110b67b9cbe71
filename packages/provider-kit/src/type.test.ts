import TypeBox from 'typebox'
import { expect, test } from 'vitest'
import { Type } from './type.ts'

type Builder = typeof Type

/** Everything there is, in one schema. */
const everything = (T: Builder) =>
  T.Object(
    {
      array: T.Array(T.Integer({ minimum: 1 }), { minItems: 1 }),
      boolean: T.Boolean(),
      enum: T.Enum(['a', 'b'], { description: 'either' }),
      intersection: T.Intersect([T.Object({ x: T.Number() }), T.Object({ y: T.Optional(T.Null()) })]),
      literals: T.Union([T.Literal('on'), T.Literal(1), T.Literal(true)], { title: 'Literals' }),
      byName: T.Record(T.String(), T.Unknown()),
      byPattern: T.Record(T.String({ pattern: '^[a-z]+$' }), T.String({ maxLength: 5 }), { maxProperties: 3 }),
      unsafe: T.Unsafe<string>(T.String({ format: 'date-time' })),
      optional: T.Optional(T.String({ default: 'grey' })),
      reused: { ...T.Optional(T.String()) },
      open: T.Object({}, { additionalProperties: true }),
    },
    { title: 'Everything' },
  )

test('schemas are the documents that TypeBox makes', () =>
  expect(JSON.parse(JSON.stringify(everything(Type)))).toEqual(JSON.parse(JSON.stringify(everything(TypeBox)))))

test('fields of TypeBox and ours are optional to each other', () => {
  expect(Type.Object({ name: TypeBox.Optional(TypeBox.String()) })).not.toHaveProperty('required')
  expect(TypeBox.Object({ name: Type.Optional(Type.String()) })).not.toHaveProperty('required')
})

test('what was made optional is left alone', () => {
  const name = Type.String()
  Type.Optional(name)
  expect(Type.Object({ name })).toMatchObject({ required: ['name'] })
})
