import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import type { OpenApiDocument } from '../../door/reference/openapi.ts'
import type { Parameter } from '../../door/reference/parameters.ts'
import { inlined } from '../../door/tests/inlined.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'

/** One form in which an answer may come. */
export interface Media {
  readonly schema: JsonSchema
  readonly validator: Validator
}

/** What the document says of one answer. */
export interface DocumentedAnswer {
  /** In lower case. */
  readonly headers: readonly string[]
  /** By content type; none: the answer has no body. */
  readonly content: ReadonlyMap<string, Media>
}

/** What the document says of one route, with every reference resolved. */
export interface Operation {
  /** `GET /v1/projects/{project}` */
  readonly name: string
  readonly method: string
  /** `['v1', 'projects', '{project}']` */
  readonly words: readonly string[]
  readonly parameters: readonly Parameter[]
  readonly body: JsonSchema | undefined
  readonly bodyTypes: readonly string[]
  readonly example: unknown
  /** By status. `default` is none of them: every status must be named. */
  readonly answers: ReadonlyMap<number, DocumentedAnswer>
}

interface RawMedia {
  readonly schema: JsonSchema
  readonly example?: unknown
}

interface RawOperation {
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, RawMedia>> }
  readonly responses: Readonly<
    Record<string, { readonly headers?: object; readonly content?: Record<string, RawMedia> }>
  >
}

/** Reads the document as a stranger would: nothing is known of the routes but what it says. */
export function readDocument(document: OpenApiDocument): readonly Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([verb, described]) => {
      const { parameters, requestBody, responses } = inlined<RawOperation>(document, described)
      const method = verb.toUpperCase()
      const bodies = Object.entries(requestBody?.content ?? {})
      return {
        name: `${method} ${path}`,
        method,
        words: wordsOf(path),
        parameters,
        body: bodies[0]?.[1].schema,
        bodyTypes: bodies.map(([type]) => type),
        example: bodies[0]?.[1].example,
        answers: new Map(
          Object.entries(responses)
            .filter(([status]) => status !== 'default')
            .map(([status, { headers = {}, content = {} }]) => [
              Number(status),
              { headers: Object.keys(headers).map(name => name.toLowerCase()), content: mediaOf(content) },
            ]),
        ),
      }
    }),
  )
}

/** One schema is in the document many times over, and takes milliseconds to compile. */
const compiled = new Map<string, Media>()

function mediaOf(content: Readonly<Record<string, RawMedia>>): ReadonlyMap<string, Media> {
  return new Map(
    Object.entries(content).map(([type, { schema }]) => {
      const text = JSON.stringify(schema)
      const media = compiled.get(text) ?? { schema, validator: Compile(schema as TSchema) }
      compiled.set(text, media)
      return [type, media]
    }),
  )
}

export const wordsOf = (path: string): readonly string[] => path.split('/').slice(1)

export const isParameter = (word: string): boolean => word.startsWith('{')

/** The route that a path belongs to, the most exact one first, as servers choose. */
export function operationAt(operations: readonly Operation[], method: string, path: string): Operation | undefined {
  const asked = wordsOf(path.split('?', 1)[0]!)
  const fits = ({ words }: Operation) =>
    words.length === asked.length &&
    words.every((word, index) => (isParameter(word) ? asked[index] !== '' : word === asked[index]))
  const exactness = ({ words }: Operation) => words.map(word => (isParameter(word) ? '1' : '0')).join('')
  return operations
    .filter(operation => operation.method === method && fits(operation))
    .sort((a, b) => (exactness(a) < exactness(b) ? -1 : 1))[0]
}
