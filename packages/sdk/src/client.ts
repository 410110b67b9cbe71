import type { Operations, Upload, Whoami } from './generated/api.ts'
import { Project } from './project.ts'
import { Transport, type TransportOptions } from './transport.ts'

export type OperationName = keyof Operations
export type Input<Name extends OperationName> = Operations[Name]['input']
export type ReplyOf<Name extends OperationName> = Operations[Name]['reply']

export interface CallOptions {
  readonly signal?: AbortSignal
  /** Of a POST: however often it is sent, it has one effect. Made up unless said. */
  readonly idempotencyKey?: string
  /** Only if this is still its revision. */
  readonly ifMatch?: number
  /** Answer as of this revision, or newer. */
  readonly revision?: number
  readonly retryFor?: number
}

type Given<Name extends OperationName> =
  Record<never, never> extends Input<Name> ? [input?: Input<Name> & CallOptions] : [input: Input<Name> & CallOptions]

/** Routes that answer in pages. */
export type ListName = {
  [Name in OperationName]: ReplyOf<Name> extends {
    readonly items: readonly unknown[]
    readonly nextCursor: string | null
  }
    ? Name
    : never
}[OperationName]

export type ItemOf<Name extends ListName> =
  ReplyOf<Name> extends { readonly items: readonly (infer Item)[] } ? Item : never

/** A Stead, and whoever speaks to it. */
export class Stead {
  readonly transport: Transport

  constructor(options: TransportOptions) {
    this.transport = new Transport(options)
  }

  /** Any route, by its name in the reference: `call('GET /v1/regions/{region}', { path: { region: 'local' } })`. */
  async call<Name extends OperationName>(name: Name, ...[input]: Given<Name>): Promise<ReplyOf<Name>> {
    const { method, path } = address(name, (input ?? {}) as Addressed)
    const { body, headers } = content((input ?? {}) as Filled, method)
    const { signal, retryFor } = (input ?? {}) as CallOptions
    const response = await this.transport.send({
      ...{ method, path, headers },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
      ...(retryFor !== undefined && { retryFor }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return (isJson ? JSON.parse(text) : text === '' ? undefined : text) as ReplyOf<Name>
  }

  /** Everything that a list holds, page by page, as it is read. */
  async *list<Name extends ListName>(name: Name, ...[input]: Given<Name>): AsyncGenerator<ItemOf<Name>, void> {
    type Page = { readonly items: readonly ItemOf<Name>[]; readonly nextCursor: string | null }
    const given = (input ?? {}) as { query?: Record<string, unknown> }
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const query = { ...given.query, ...(cursor !== undefined && { cursor }) }
      const page: Page = (await this.call(
        name,
        ...([{ ...given, query }] as unknown as Given<Name>),
      )) as unknown as Page
      yield* page.items
      cursor = page.nextCursor
    }
  }

  /** A project, by its id or as `organization/name`. */
  project(name: string): Project {
    return new Project(this, name)
  }

  /** Who we are there, and what we may. */
  async whoami(options: CallOptions = {}): Promise<Whoami> {
    const who = await this.call('GET /v1/whoami', options)
    this.transport.useCsrfToken(who.csrfToken)
    return who
  }
}

interface Addressed {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
}

interface Filled extends CallOptions {
  readonly body?: unknown
}

/** The method, and the path with everything filled in. */
export function address(name: string, { path = {}, query = {} }: Addressed): { method: string; path: string } {
  const [method = '', template = ''] = name.split(' ')
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => encodeURIComponent(path[parameter] ?? ''))
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) if (value !== undefined) search.set(key, String(value))
  return { method, path: search.size > 0 ? `${filled}?${search}` : filled }
}

function content({ body, idempotencyKey, ifMatch, revision }: Filled, method: string) {
  const isUpload = body instanceof Uint8Array || body instanceof Blob || body instanceof ReadableStream
  const type = isUpload ? 'application/octet-stream' : 'application/json'
  const sent = body === undefined ? undefined : isUpload ? (body as Upload) : JSON.stringify(body)
  const headers = {
    ...(sent !== undefined && { 'content-type': type }),
    ...(method === 'POST' && { 'idempotency-key': idempotencyKey ?? crypto.randomUUID() }),
    ...(ifMatch !== undefined && { 'if-match': `"${ifMatch}"` }),
    ...(revision !== undefined && { 'stead-revision': String(revision) }),
  }
  return { headers, ...(sent !== undefined && { body: sent }) }
}
