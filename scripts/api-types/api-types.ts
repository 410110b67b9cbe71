import { comment, isObject, key, type Names, objectType, type Schema, typeName, typeOf } from './schema-types.ts'
import { namesOf, sharedTypes } from './shared-types.ts'

interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>

interface Operation {
  readonly summary: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const head = `// Written by \`npm run docs\` from the API's own description: change the API, not this file.

/** What a route takes as it is: bytes of any number. */
export type Upload = Blob | ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>
`

/** The source of the types of everything the API takes and answers. */
export function apiTypes({ paths, components }: Document): string {
  const shared = sharedTypes(components.schemas)
  const names = namesOf(shared)
  const schemas = [...shared, ...Object.entries(components.schemas)].map(([name, schema]) => {
    const type = isObject(schema) ? objectType(schema, names) : typeOf(schema, names)
    return `${comment(schema.description, '')}export type ${typeName(name)} = ${type}\n`
  })
  const operations = Object.entries(paths)
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, each]) => ({ method, path, each })))
    .filter(({ path }) => path.startsWith('/v1/'))
    .map(({ method, path, each }) => operationType(`${method.toUpperCase()} ${path}`, each, names))
  const map = `/** Every route: what it takes, and what it answers when it does not refuse. */\nexport interface Operations {\n${operations.join('')}}\n`
  return [head, ...schemas, map].join('\n')
}

function operationType(name: string, operation: Operation, names: Names): string {
  const { summary, parameters, requestBody, responses } = operation
  const given = (place: string) => parameters.filter(parameter => parameter.in === place)
  const input = [
    group('path', given('path'), names),
    group('query', given('query'), names),
    ...(requestBody
      ? [`      readonly body${requestBody.required ? '' : '?'}: ${bodyType(requestBody.content, names)}\n`]
      : []),
  ].join('')
  const inputType = input === '' ? 'Record<never, never>' : `{\n${input}    }`
  return `${comment(summary, '  ')}  ${key(name)}: {\n    input: ${inputType}\n    reply: ${replyType(responses, names)}\n  }\n`
}

function group(name: string, parameters: readonly Parameter[], names: Names): string {
  if (parameters.length === 0) return ''
  const required = parameters.filter(parameter => parameter.required).map(parameter => parameter.name)
  const properties = Object.fromEntries(
    parameters.map(({ name, schema, description }) => [name, { ...schema, ...(description && { description }) }]),
  )
  const type = typeOf({ type: 'object', properties, required }, names, '      ')
  return `      readonly ${name}${required.length > 0 ? '' : '?'}: ${type}\n`
}

const bodyType = (content: Content, names: Names): string =>
  content['application/json'] ? typeOf(content['application/json'].schema, names, '      ') : 'Upload'

function replyType(responses: Operation['responses'], names: Names): string {
  const types = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, { content = {} }]) => {
      const json = content['application/json']
      if (json) return typeOf(json.schema, names, '    ')
      return Object.keys(content).length > 0 ? 'string' : 'undefined'
    })
  return [...new Set(types)].join(' | ') || 'undefined'
}
