import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { apiTypes } from './api-types.ts'
import { readDocument } from './document.ts'
import { typeOf } from './schema-types.ts'
import { namesOf, sharedTypes } from './shared-types.ts'

test('the types of the SDK are those of the API: `npm run docs` writes them', async () => {
  const written = readFileSync(new URL('../../packages/sdk/src/generated/api.ts', import.meta.url), 'utf8')
  expect(written).toBe(apiTypes(await readDocument()))
}, 60_000)

test.each([
  [{ type: 'integer' }, 'number'],
  [{}, 'unknown'],
  [{ enum: ['a', "it's"] }, "'a' | 'it\\'s'"],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string | null'],
  [{ type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } }, 'readonly (string | null)[]'],
  [{ type: 'array', items: { $ref: '#/components/schemas/Instance' } }, 'readonly Instance[]'],
  [{ $ref: '#/components/schemas/Dead-letter' }, 'DeadLetter'],
  [{ type: 'object', properties: {} }, 'Record<string, never>'],
  [{ type: 'object', patternProperties: { '^.*$': { type: 'string' } } }, '{\n  readonly [name: string]: string\n}'],
  [
    { type: 'object', required: ['a'], properties: { a: { type: 'string' }, 'b-c': { type: 'boolean' } } },
    "{\n  readonly a: string\n  readonly 'b-c'?: boolean\n}",
  ],
])('%j is %s', (schema, type) => expect(typeOf(schema, new Map())).toBe(type))

const many = (more: object = {}) => ({
  type: 'object',
  properties: Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map(name => [name, { type: 'string' }])),
  ...more,
})

test('what stands in several types has one name, its own where nothing else is called so', () => {
  const spec = many({ description: 'What is wanted.' })
  const other = many({ required: ['a'] })
  const of = (properties: object) => ({ type: 'object', properties }) as never
  const shared = sharedTypes({
    Thing: of({ spec, metadata: many({ required: ['b'] }) }),
    ThingList: of({ items: { type: 'array', items: of({ spec: many(), metadata: many({ required: ['b'] }) }) } }),
    Other: of({ spec: other, once: many({ required: ['c'] }) }),
    OtherWrite: of({ spec: other }),
  })
  expect([...shared.keys()]).toEqual(['ThingSpec', 'Metadata', 'OtherSpec'])
  expect(typeOf(of({ spec: many() }), namesOf(shared))).toBe('{\n  readonly spec?: ThingSpec\n}')
})
