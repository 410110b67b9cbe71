import { isObject, type Names, type Schema, shapeOf, typeName } from './schema-types.ts'

interface Found {
  readonly schema: Schema
  /** The names it could have, the best first. */
  readonly names: readonly string[]
  count: number
}

/** A shorter one is as easily read where it stands. */
const worthAName = 6

/** The parts that stand in several of these schemas, by a name of their own: `Metadata`, `InstanceSpec`. */
export function sharedTypes(schemas: Readonly<Record<string, Schema>>): ReadonlyMap<string, Schema> {
  const found = new Map<string, Found>()
  for (const [name, schema] of Object.entries(schemas))
    for (const [part, child] of partsOf(schema)) collect(child, typeName(name), part, found)
  const taken = new Set(Object.keys(schemas).map(typeName))
  const repeated = [...found.values()].filter(
    ({ schema, count }) => count > 1 && shapeOf(schema).split('\n').length >= worthAName,
  )
  return new Map(
    repeated.map(({ schema, names }) => {
      // A type may not hide what every program knows by that name: `Object`.
      const isFree = (each: string) => !taken.has(each) && !(each in globalThis) && isOnly(each, repeated)
      const name = names.find(isFree) ?? numbered(names.at(-1)!, taken)
      taken.add(name)
      return [name, schema]
    }),
  )
}

export const namesOf = (shared: ReadonlyMap<string, Schema>): Names =>
  new Map([...shared].map(([name, schema]) => [shapeOf(schema), name]))

function collect(schema: Schema, owner: string, part: string, found: Map<string, Found>): void {
  if (isObject(schema)) {
    const shape = shapeOf(schema)
    const known = found.get(shape)
    if (known) {
      // What is in it stands there as often as it does.
      known.count++
      return
    }
    found.set(shape, { schema, names: [typeName(part), `${owner}${typeName(part)}`], count: 1 })
  }
  for (const [name, child] of partsOf(schema)) collect(child, owner, name || part, found)
}

/** Everything right below it, with the name of the property it is, if it is one. */
function partsOf({ properties = {}, patternProperties = {}, ...schema }: Schema): [name: string, part: Schema][] {
  const { items, additionalProperties, anyOf = [], oneOf = [], allOf = [] } = schema
  const nameless = [...Object.values(patternProperties), ...anyOf, ...oneOf, ...allOf]
  if (typeof additionalProperties === 'object') nameless.push(additionalProperties)
  const named = Object.entries(properties).map(([name, part]): [string, Schema] => [capital(name), part])
  const item: [string, Schema][] = items ? [['', items]] : []
  return [...named, ...item, ...nameless.map((part): [string, Schema] => ['', part])]
}

const capital = (name: string): string => `${name[0]!.toUpperCase()}${name.slice(1)}`

const isOnly = (name: string, all: readonly Found[]): boolean =>
  all.filter(({ names }) => names.includes(name)).length === 1

function numbered(name: string, taken: ReadonlySet<string>): string {
  let number = 2
  while (taken.has(`${name}${number}`)) number++
  return taken.has(name) ? `${name}${number}` : name
}
