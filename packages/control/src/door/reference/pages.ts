import { type CatalogueEntry, catalogue } from '../../errors/index.ts'
import { branches, type JsonSchema } from '../../schema/json-schema.ts'
import { type Html, html, page, prose } from './html.ts'
import type { OpenApiDocument, Operation } from './openapi.ts'
import type { Parameter } from './parameters.ts'

interface Entry {
  readonly path: string
  readonly method: string
  readonly operation: Operation
}

/** /docs: every route, from the OpenAPI document. */
export function referencePage(document: OpenApiDocument): string {
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const groups = Map.groupBy(entries, ({ operation }) => operation.tags[0]!)
  const tags = [...groups.keys()].sort()
  const { title, version } = document.info
  const navigation = html`<h1>${title}</h1><p class="soft">${version}</p>
    <ul>${tags.map(tag => html`<li><a href="#${tag}">${tag}</a></li>`)}</ul>
    <ul><li><a href="/docs/errors">errors</a></li><li><a href="/openapi.json">openapi.json</a></li></ul>`
  const content = tags.map(
    tag => html`<h2 id="${tag}">${tag}</h2>${groups.get(tag)!.map(entry => operationSection(document, entry))}`,
  )
  return page(`${title} API`, navigation, html`<h1>API reference</h1><p>${document.info.description}</p>${content}`)
}

function operationSection(document: OpenApiDocument, { path, method, operation }: Entry): Html {
  const { summary, description, parameters, requestBody, responses } = operation
  const body = Object.entries(requestBody?.content ?? {}).at(-1)
  const answers = Object.entries(responses).filter(([status]) => /^[123]/.test(status))
  const refusals = Object.keys(responses).filter(status => /^[45]/.test(status))
  return html`<details id="${operation.operationId}">
    <summary><code class="method">${method}</code><code>${path}</code><span class="soft">${prose(summary)}</span></summary>
    ${description !== undefined && html`<p>${prose(description)}</p>`}
    <p class="soft">Needs <code>${operation['x-permission']}</code> (${operation['x-scope']}).</p>
    ${parameterTable(document, parameters)}
    ${body && html`<h3>Body <span class="soft">${body[0]}</span></h3>${fields(document, body[1].schema)}${exampleOf(body[1].example)}`}
    ${answers.map(([status, answer]) => {
      const forms = Object.entries('content' in answer ? (answer.content ?? {}) : {})
      if (forms.length === 0) return html`<h3>${status} <span class="soft">no body</span></h3>`
      return forms.map(
        ([type, media]) =>
          html`<h3>${status} <span class="soft">${type}</span></h3>${fields(document, media.schema)}${exampleOf(media.example)}`,
      )
    })}
    <p class="soft">Refused with ${refusals.join(', ')}: see <a href="/docs/errors">errors</a>.</p>
  </details>`
}

const exampleOf = (example: unknown) => example !== undefined && html`<pre>${JSON.stringify(example, null, 2)}</pre>`

function parameterTable(document: OpenApiDocument, parameters: Operation['parameters']): Html | undefined {
  const resolved = parameters.map(each => ('$ref' in each ? resolve<Parameter>(document, each.$ref) : each))
  if (resolved.length === 0) return undefined
  return html`<h3>Parameters</h3><table>${resolved.map(
    ({ name, in: where, required, description, schema }) =>
      html`<tr><td><code>${name}</code></td><td class="soft">${where}${required ? '' : ', optional'}</td><td>${typeOf(schema)}${boundsOf(schema)}</td><td>${prose(description)}</td></tr>`,
  )}</table>`
}

/** Fields of a schema, those inside them below. Named schemas stand where they are used: nobody has to look them up. */
function fields(document: OpenApiDocument, schema: JsonSchema): Html {
  const shown = schema.$ref === undefined ? schema : resolve<JsonSchema>(document, schema.$ref)
  const union = branches(shown)
  if (union.length > 1 && union.some(branch => branch.$ref ?? branch.properties))
    return html`${union.map((branch, index) => html`<p class="soft">${index === 0 ? 'either' : 'or'}</p>${fields(document, branch)}`)}`
  if (shown.items) return fields(document, shown.items)
  const named = Object.entries(shown.properties ?? {})
  const others = Object.values(shown.patternProperties ?? {}).map(inner => ['<name>', inner] as const)
  if (named.length + others.length === 0) return html`<p>${typeOf(shown)}</p>`
  return html`<ul class="fields">${[...named, ...others].map(
    ([name, inner]) =>
      html`<li><code>${name}</code> <span class="soft">${typeOf(inner)}${shown.required?.includes(name) ? '' : ', optional'}</span> ${prose(inner.description)}${nested(document, inner)}</li>`,
  )}</ul>`
}

function nested(document: OpenApiDocument, schema: JsonSchema): Html | undefined {
  const inner = schema.items ?? schema
  const hasFields =
    inner.$ref ?? inner.properties ?? inner.patternProperties ?? branches(inner).some(each => each.properties)
  return hasFields === undefined || hasFields === false ? undefined : fields(document, inner)
}

function typeOf(schema: JsonSchema): string {
  const { $ref, type, enum: values, const: value, format, items } = schema
  if ($ref !== undefined) return $ref.split('/').at(-1)!
  if (values) return values.map(each => JSON.stringify(each)).join(' | ')
  if (value !== undefined) return JSON.stringify(value)
  const union = branches(schema)
  if (union.length > 0) return union.map(typeOf).join(' | ')
  if (items) return `${typeOf(items)}[]`
  return [type ?? 'any'].flat().join(' | ') + (format === undefined ? '' : ` (${format})`)
}

/** What a parameter may be, and is unless said. */
function boundsOf(schema: JsonSchema): string {
  const { minimum, maximum, default: usual } = schema as JsonSchema & { minimum?: number; maximum?: number }
  const range = minimum !== undefined && maximum !== undefined ? `, ${minimum} to ${maximum}` : ''
  return usual === undefined ? range : `${range}, ${String(usual)} unless said`
}

const resolve = <T>(document: OpenApiDocument, ref: string): T =>
  ref
    .slice(2)
    .split('/')
    .reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], document) as T

/** /docs/errors: what every code means and what to do. */
export function errorsHtml(): string {
  const entries: readonly (readonly [string, CatalogueEntry])[] = Object.entries(catalogue)
  const navigation = html`<h1><a href="/docs">Stead</a></h1><ul>${entries.map(([code]) => html`<li><a href="#${code}">${code}</a></li>`)}</ul>`
  const sections = entries.map(
    ([code, { status, title, meaning, suggestion }]) =>
      html`<h2 id="${code}">${code}</h2><p><code>${status}</code> ${title}. ${meaning}</p><p><b>What to do:</b> ${suggestion}.</p>`,
  )
  return page('Stead errors', navigation, html`<h1>Errors</h1>${sections}`)
}
