import type { Parameter } from '../../door/reference/parameters.ts'
import type { SentRequest } from './client.ts'
import { isParameter, type Operation } from './document.ts'
import type { Thing } from './memory.ts'
import { broken, fitting, junk, type ValueSources } from './values.ts'

/** Somebody who asks: what goes in the headers. */
export interface Caller {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
}

export interface MadeRequest extends SentRequest {
  readonly caller: string
  /** As it was before it was written, if it was JSON. */
  readonly value: unknown
  readonly params: Readonly<Record<string, string>>
}

export interface RequestSources extends ValueSources {
  readonly callers: readonly Caller[]
}

/** A request for a route: more often right than not, because what is wrong in two places is refused for the first. */
export function makeRequest(sources: RequestSources, operation: Operation): MadeRequest {
  const { chance } = sources
  const caller = chance.pick(sources.callers)
  const params = paramsOf(sources, operation)
  const path = `${pathOf(sources, operation, params)}${queryOf(sources, operation)}`
  const { body, type, value } = bodyOf(sources, operation)
  const headers = { ...headersOf(sources, operation, params), ...type, ...caller.headers }
  return { method: operation.method, path, headers, body, caller: caller.name, value, params }
}

/** What the path is about, named so that one thing is in the other: the token of this account of that organization. */
function paramsOf({ chance, memory }: RequestSources, { words, parameters }: Operation): Record<string, string> {
  const params: Record<string, string> = {}
  for (const [index, word] of [...words.entries()].reverse()) {
    if (!isParameter(word)) continue
    const name = word.slice(1, -1)
    const { enum: values } = parameters.find(each => each.in === 'path' && each.name === name)?.schema ?? {}
    const known = within(words.slice(0, index).filter(isParameter), memory.things.get(words[index - 1]!))
    if (values) params[name] = String(chance.pick(values))
    else if (known.length > 0 && params[name] === undefined)
      Object.assign(params, named(chance.recent(known), name, chance.odds(0.5)))
    params[name] ??= 'shop'
  }
  return params
}

/** Those that were seen at places of this form, if the path says a place and there are any. */
function within(places: readonly string[], things: readonly Thing[]): readonly Thing[] {
  const isThere = ({ params }: Thing) => places.every(place => params[place.slice(1, -1)] !== undefined)
  const found = places.length === 0 ? [] : things.filter(isThere)
  return found.length > 0 ? found : things
}

/** By id, or by name: projects are named in their organization, everything else where the path is. */
function named({ id, name, params }: Thing, parameter: string, byName: boolean): Record<string, string> {
  const full = parameter === 'project' ? params.organization && `${params.organization}/${name}` : name
  return { ...params, [parameter]: byName && name !== undefined ? (full ?? id) : id }
}

const garbage: readonly string[] = [
  '..',
  '.',
  '%2e%2e',
  '%00',
  '%',
  '%zz',
  '%ff',
  '*',
  'a%2Fb',
  'a%2Fb%2Fc',
  '%F0%9F%9A%80',
  'org_00000000-0000-7000-8000-000000000000',
  'prj_0',
  '',
  'x'.repeat(500),
  '%41'.repeat(140),
  'current',
  '__proto__',
  "'--",
  '\u00fc',
]

function pathOf({ chance }: RequestSources, { words }: Operation, params: Record<string, string>): string {
  const places = words.flatMap((word, index) => (isParameter(word) ? [index] : []))
  const wrong = chance.odds(0.1) ? chance.pick([...places, words.length - 1]) : -1
  const written = words.map((word, index) => {
    if (index === wrong) return chance.pick(garbage)
    return isParameter(word) ? encodeURIComponent(params[word.slice(1, -1)]!) : word
  })
  return `/${written.join('/')}`
}

function queryOf(sources: RequestSources, operation: Operation): string {
  const { chance } = sources
  const pairs = operation.parameters
    .filter(each => each.in === 'query' && (each.required || isPatience(each) || chance.odds(0.25)))
    .map((parameter): [string, string] => [parameter.name, queryValue(sources, operation, parameter)])
  if (chance.odds(0.03)) pairs.push([chance.pick(['unknown', '__proto__', 'limit', 'a[b]']), String(chance.pick(junk))])
  if (pairs.length === 0) return chance.odds(0.02) ? '?' : ''
  const wrong = chance.odds(0.03) ? chance.pick(['&&=', '&%=%zz', `&x=${'y'.repeat(9_000)}`]) : ''
  return `?${new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value.toWellFormed()]))}${wrong}`
}

/** Nobody has as long as a route would wait by itself. */
const isPatience = ({ name }: Parameter): boolean => name === 'timeout'

function queryValue(sources: RequestSources, { name }: Operation, parameter: Parameter): string {
  const { chance, memory } = sources
  const cursors = memory.cursors.get(name)
  if (parameter.name === 'cursor' && cursors.length > 0 && chance.odds(0.8)) return chance.recent(cursors)
  const wrong = chance.odds(0.15) ? String(chance.pick(junk)) : undefined
  // Without a value it is as if it had not been said.
  if (isPatience(parameter)) return wrong || '5ms'
  if (wrong !== undefined) return wrong
  // What the server has not reached yet it waits for, seconds long, and then answers 503: freshness.test.ts asks for that.
  if (parameter.name === 'since' && parameter.schema.type === 'integer')
    return String(chance.below(memory.revision + 1))
  return [fitting(sources, parameter.schema, parameter.name)].flat().map(String).join(',')
}

function headersOf({ chance, memory }: RequestSources, { method, words }: Operation, params: Record<string, string>) {
  const last = Object.values(params).at(-1) ?? ''
  const etags = memory.etags.get(last)
  const etag = etags.length > 0 ? etags.at(-1)! : '"1"'
  const { revision } = memory
  const drawn: readonly (readonly [share: number, name: string, values: readonly string[]])[] = [
    [method === 'GET' ? 0.05 : 0.15, 'if-match', [etag, etag, '*', '"1"', '""', 'W/"3"', 'x', `"${'9'.repeat(30)}"`]],
    [method === 'GET' ? 0.1 : 0.02, 'if-none-match', [etag, etag, '*', 'x', '"1", "2"']],
    [
      method === 'POST' ? 0.2 : 0.02,
      'idempotency-key',
      ['a', 'b', 'c', chance.word(), '', ' ', 'k'.repeat(256), '\u00e9'],
    ],
    [0.1, 'stead-revision', [String(revision), String(revision), '0', '-1', 'x', '', '1e3', '9'.repeat(16)]],
    [words.at(-1) === 'watch' ? 0.4 : 0.02, 'last-event-id', [String(revision), '0', '1', 'x', '']],
    [0.1, 'accept', ['application/x-ndjson', 'application/json', '*/*', 'text/html', ';;,']],
    [0.05, 'traceparent', [`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, '00-0-0-0', 'x', '']],
    [0.05, 'user-agent', ['curl/8', '<b>', 'u'.repeat(2_000)]],
    [0.02, 'origin', ['https://evil.example', 'null']],
    [0.02, 'cookie', ['stead-session=', 'stead-session=x; a=b', ';;=', 'stead-login=x']],
    [0.02, 'accept-encoding', ['gzip, br', 'identity;q=0']],
  ]
  return Object.fromEntries(
    drawn.filter(([share]) => chance.odds(share)).map(([, name, values]) => [name, chance.pick(values)]),
  )
}

function bodyOf(sources: RequestSources, operation: Operation) {
  const { chance } = sources
  const sendsOne = operation.method !== 'GET' && (operation.body !== undefined || chance.odds(0.1))
  if (!sendsOne && !chance.odds(0.01)) return { body: undefined, type: {}, value: undefined }
  const value = valueFor(sources, operation)
  const type = chance.weighted(
    [20, chance.pick(operation.bodyTypes.length > 0 ? operation.bodyTypes : ['application/json'])],
    [1, 'application/json; charset=utf-8'],
    [
      0.5,
      chance.pick([
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data',
        'application/xml',
        'x',
        '',
      ]),
    ],
  )
  return { body: writtenOf(sources, value), type: { 'content-type': type }, value }
}

function valueFor(sources: RequestSources, { name, body = {}, example }: Operation): unknown {
  const { chance, memory } = sources
  const known = [...memory.bodies.get(name), ...(example === undefined ? [] : [example])]
  const right = known.length > 0 && chance.odds(0.4) ? chance.recent(known) : fitting(sources, body)
  return chance.odds(0.25) ? broken(chance, right) : right
}

function writtenOf({ chance }: RequestSources, value: unknown): string | Buffer {
  const text = JSON.stringify(value) ?? ''
  if (!chance.odds(0.04)) return text
  return chance.pick<() => string | Buffer>([
    () => text.slice(0, -1),
    () => `${text}${text}`,
    () => `\ufeff${text}`,
    () => '',
    () => text.replace('{', '{"__proto__":{"a":1},'),
    () => text.replace('{', '{"name":"twice",'),
    () => `${'['.repeat(2_000)}${']'.repeat(2_000)}`,
    () => Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
    () => JSON.stringify({ name: 'x'.repeat(70_000) }),
    () => `{"name":"${'\\u0000'.repeat(3)}"}`,
    () => 'NaN',
    () => JSON.stringify('x'.repeat(1_100_000)),
  ])()
}
