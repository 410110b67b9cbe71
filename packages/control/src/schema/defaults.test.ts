import TypeBox from 'typebox'
import { Default } from 'typebox/value'
import { expect, test } from 'vitest'
import { filling } from './defaults.ts'
import { jsonSchema } from './json-schema.ts'
import { Type } from './type.ts'

function specOf(T: typeof Type) {
  const Machine = T.Object({ machine: T.String(), disk: T.Optional(T.Integer({ default: 10 })) })
  const Chart = T.Object({ chart: T.String(), replicas: T.Optional(T.Integer({ default: 1 })) })
  return T.Object({
    size: T.Integer(),
    color: T.Optional(T.String({ default: 'grey' })),
    source: T.Optional(T.Union([Machine, Chart])),
    parts: T.Optional(T.Array(Machine)),
    named: T.Optional(T.Record(T.String({ pattern: '^[a-z]+$' }), Chart)),
    policy: T.Optional(T.Object({ restart: T.Optional(T.Boolean({ default: true })) }, { default: {} })),
  })
}
const fill = filling(jsonSchema(specOf(Type)))

const written = {
  size: 1,
  source: { chart: 'web' },
  parts: [{ machine: 'a' }, { machine: 'b', disk: 3 }],
  named: { db: { chart: 'db' } },
}

test('what was left out has its default, at every depth and in the branch that was meant', () =>
  expect(fill(written)).toEqual({
    size: 1,
    color: 'grey',
    source: { chart: 'web', replicas: 1 },
    parts: [
      { machine: 'a', disk: 10 },
      { machine: 'b', disk: 3 },
    ],
    named: { db: { chart: 'db', replicas: 1 } },
    policy: { restart: true },
  }))

test('what was said stays, and the value itself is not touched', () => {
  const before = structuredClone(written)
  expect(fill({ ...written, color: 'red', policy: { restart: false } })).toMatchObject({
    color: 'red',
    policy: { restart: false },
  })
  expect(written).toEqual(before)
})

test('what does not fit is left for the validator to refuse', () => {
  const wrong = { size: 'big', source: { neither: 1 }, parts: 'none', named: [], policy: null }
  expect(fill(wrong)).toEqual({ ...wrong, color: 'grey' })
})

test('a default is nobody else’s: changing one copy changes no other', () => {
  const first = fill({ size: 1 }) as { policy: object }
  Object.assign(first.policy, { restart: false })
  expect(fill({ size: 1 })).toMatchObject({ policy: { restart: true } })
})

test('TypeBox fills in the same, but for maps, which it leaves alone', () => {
  const { named: _, ...withoutMap } = written
  for (const value of [withoutMap, { size: 1 }, { size: 1, source: { machine: 'm' } }])
    expect(fill(value)).toEqual(Default(specOf(TypeBox), structuredClone(value)))
})
