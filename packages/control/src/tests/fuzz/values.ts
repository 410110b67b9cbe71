import { branches, type JsonSchema } from '../../schema/json-schema.ts'
import type { Chance } from './chance.ts'
import type { Memory } from './memory.ts'
import type { Secrets } from './secrets.ts'

export interface ValueSources {
  readonly chance: Chance
  readonly memory: Memory
  readonly secrets: Secrets
}

/** JSON Schema has more words than the house looks into; these bound what is made. */
interface Bounds {
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly uniqueItems?: boolean
  readonly pattern?: string
}

/** A value that fits a schema, in about the words that somebody would use. */
export function fitting(sources: ValueSources, schema: JsonSchema, name = ''): unknown {
  const { chance } = sources
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return chance.pick(schema.enum)
  const union = branches(schema)
  if (union.length > 0) return fitting(sources, chance.pick(union), name)
  switch (chance.pick([schema.type ?? 'any'].flat())) {
    case 'object':
      return fittingObject(sources, schema)
    case 'array':
      return fittingArray(sources, schema, name)
    case 'string':
      return fittingText(sources, schema, name)
    case 'integer':
    case 'number':
      return fittingNumber(chance, schema)
    case 'boolean':
      return chance.odds(0.5)
    case 'null':
      return null
    default:
      return chance.pick(junk)
  }
}

function fittingObject(sources: ValueSources, schema: JsonSchema) {
  const { chance } = sources
  const { properties = {}, patternProperties = {}, required = [] } = schema
  // What is in a secret is secret.
  const inside = (inner: JsonSchema): JsonSchema =>
    schema['x-secret'] ? { type: 'string', ...inner, 'x-secret': true } : inner
  const named = Object.entries(properties)
    .filter(([name]) => required.includes(name) || chance.odds(0.4))
    .map(([name, inner]) => [name, fitting(sources, inside(inner), name)])
  const others = Object.entries(patternProperties)
    .filter(() => chance.odds(0.5))
    .map(([pattern, inner]) => [chance.pick(wordsThatFit({ pattern }, chance)), fitting(sources, inside(inner))])
  return Object.fromEntries([...named, ...others])
}

function fittingArray(sources: ValueSources, schema: JsonSchema, name: string): unknown {
  const { chance } = sources
  const { minItems = 0, uniqueItems } = schema as Bounds
  const items = Array.from({ length: minItems + chance.below(3) }, () => fitting(sources, schema.items ?? {}, name))
  return uniqueItems ? [...new Set(items)] : items
}

function fittingText({ chance, memory, secrets }: ValueSources, schema: JsonSchema, name: string): string {
  if (schema['x-secret']) {
    const shown = memory.shown.get(name)
    if (shown.length > 0 && chance.odds(0.7)) return chance.recent(shown)
    const { maxLength = 64 } = schema as Bounds
    const made = chance.odds(0.05) ? chance.word(maxLength) : `pass-${chance.word(20)}`
    secrets.add(made, `a ${name} that was sent`)
    return made
  }
  return chance.pick(wordsThatFit(schema as Bounds, chance, wordsFor(name, { chance, memory })))
}

/** What a field of this name is likely about: `role`, `principal`, `project`. */
function wordsFor(name: string, { chance, memory }: Pick<ValueSources, 'chance' | 'memory'>): readonly string[] {
  const nouns = name === 'principal' ? ['service-accounts', 'users'] : [`${name}s`]
  const known = nouns.flatMap(noun => memory.things.get(noun).slice(-5)).flatMap(({ id, name }) => [id, name ?? id])
  if (known.length > 0 && chance.odds(0.8)) return known
  return name === 'role' ? ['reader', 'developer', 'org-admin', 'project-admin', 'platform-admin'] : []
}

/** What fits a pattern is found by trying: a pattern that none of these fits wants a word of its own here. */
function wordsThatFit(
  { pattern, minLength = 0, maxLength = 10_000 }: Bounds,
  chance: Chance,
  likely: readonly string[] = [],
): readonly string[] {
  const fits = (word: string) =>
    word.length >= minLength && word.length <= maxLength && (pattern === undefined || new RegExp(pattern).test(word))
  const chosen = likely.filter(fits)
  if (chosen.length > 0) return chosen
  const drawn = [
    chance.word(8),
    '0f'.repeat(32),
    'shop',
    'web-1',
    'a',
    '24h',
    '2026-11-15T12:00:00Z',
    '/etc/a',
    'YQ==',
    `${chance.word(8)}@example.com`,
    '4711',
    '0440',
    'newest',
    'instance.Failed',
    `whsec_${chance.word(32)}`,
  ]
  const found = [...drawn, ...(pattern === undefined ? strange : [])].filter(fits)
  if (found.length === 0) throw new Error(`no word is known that fits ${pattern}`)
  return found
}

function fittingNumber(chance: Chance, schema: JsonSchema): number {
  const { minimum = -5, maximum = Number.MAX_SAFE_INTEGER } = schema as Bounds
  return chance.weighted(
    [4, Math.min(maximum, minimum + chance.below(10))],
    [1, minimum],
    [1, maximum],
    [1, Math.min(maximum, minimum + chance.below(1_000))],
  )
}

/** Texts that are allowed wherever any text is, and have broken something somewhere. */
const strange: readonly string[] = [
  '',
  ' ',
  'Ünïcödé ☃ 名前 🚀',
  '‮reversed',
  "'; drop table objects; --",
  '<script>alert(1)</script>',
  '../../etc/passwd',
  '%2e%2e%2f',
  '{{7*7}}',
  '__proto__',
  'constructor',
  'x'.repeat(300),
  'e\u0301'.repeat(40),
  '-1',
  'null',
]

/** Values of every type, likely wrong wherever they are put. */
export const junk: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER,
  '',
  'x',
  '\u0000',
  '\ud800',
  [],
  [null],
  {},
  { a: { b: [1] } },
  ...strange,
]

/** A copy of a value in which something is wrong: a field too many, one too few, or one of another type. */
export function broken(chance: Chance, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || chance.odds(0.1)) return chance.pick(junk)
  if (Array.isArray(value)) {
    const place = chance.below(value.length + 1)
    return place === value.length ? [...value, chance.pick(junk)] : value.with(place, broken(chance, value[place]))
  }
  const fields = Object.entries(value)
  if (fields.length === 0 || chance.odds(0.2)) return { ...value, [chance.pick(strange)]: chance.pick(junk) }
  const [name, inner] = chance.pick(fields)
  const { [name]: _left, ...rest } = value as Record<string, unknown>
  return chance.odds(0.3) ? rest : { ...rest, [name]: broken(chance, inner) }
}
