import type { AnyObject, Event, OperationName, Stead } from '@stead/sdk'
import { StartError } from '../exit-codes.ts'
import type { Session } from './session.ts'

/** A kind of thing that can be listed and read by name, and how it is called. */
export interface KindOfThing {
  /** As in files and watches: `security-group`. */
  readonly kind: string
  /** As in paths: `security-groups`. */
  readonly plural: string
  readonly scope: 'platform' | 'organization' | 'project'
  /** The parameter of its path. */
  readonly param: string
  readonly also?: readonly string[]
  /** Whether files for `stead apply` may hold it; their order there is the order in which they are made. */
  readonly inFiles?: true
}

/** Everything `stead get` knows. What others stand on comes first. */
export const kinds: readonly KindOfThing[] = [
  { kind: 'organization', plural: 'organizations', scope: 'platform', param: 'organization', also: ['org', 'orgs'] },
  { kind: 'project', plural: 'projects', scope: 'platform', param: 'project' },
  { kind: 'region', plural: 'regions', scope: 'platform', param: 'region' },
  { kind: 'user', plural: 'users', scope: 'organization', param: 'user' },
  { kind: 'service-account', plural: 'service-accounts', scope: 'organization', param: 'account', also: ['sa'] },
  { kind: 'role', plural: 'roles', scope: 'organization', param: 'role' },
  { kind: 'grant', plural: 'grants', scope: 'organization', param: 'grant' },
  { kind: 'invitation', plural: 'invitations', scope: 'organization', param: 'invitation' },
  { kind: 'network', plural: 'networks', scope: 'project', param: 'network', also: ['net'], inFiles: true },
  {
    ...{ kind: 'security-group', plural: 'security-groups', scope: 'project', param: 'securityGroup', also: ['sg'] },
    inFiles: true,
  },
  { kind: 'ssh-authority', plural: 'ssh-authorities', scope: 'project', param: 'sshAuthority', inFiles: true },
  { kind: 'image', plural: 'images', scope: 'project', param: 'image', inFiles: true },
  { kind: 'secret', plural: 'secrets', scope: 'project', param: 'secret' },
  { kind: 'webhook', plural: 'webhooks', scope: 'project', param: 'webhook', inFiles: true },
  { kind: 'operation', plural: 'operations', scope: 'project', param: 'operation', also: ['op', 'ops'] },
  { kind: 'instance', plural: 'instances', scope: 'project', param: 'instance', also: ['i', 'inst'], inFiles: true },
]

export const instanceKind: KindOfThing = kinds.find(({ kind }) => kind === 'instance')!

export function kindNamed(name: string): KindOfThing {
  const found = kinds.find(({ kind, plural, also = [] }) => [kind, plural, ...also].includes(name.toLowerCase()))
  if (found) return found
  throw new StartError('usage', `there is no kind ${name}; there are ${kinds.map(({ plural }) => plural).join(', ')}`)
}

/** `network/n1` is of its kind; a name alone is an instance. */
export function thingNamed(text: string): { kind: KindOfThing; name: string } {
  const [, prefix, rest] = /^([a-z-]+)\/(.+)$/.exec(text) ?? []
  const known =
    prefix !== undefined && kinds.find(({ kind, plural, also = [] }) => [kind, plural, ...also].includes(prefix))
  return known ? { kind: known, name: rest! } : { kind: instanceKind, name: text }
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

interface Asked {
  readonly name?: string
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

/** Things of any kind, where the session is. */
export class Things {
  readonly #session: Session
  readonly #organization: string | undefined

  constructor(session: Session, organization?: string) {
    this.#session = session
    this.#organization = organization
  }

  list(kind: KindOfThing, query: Asked['query'] = {}): AsyncGenerator<AnyObject, void> {
    return this.#list(this.#collection(kind), { path: this.#place(), query })
  }

  events(kind: KindOfThing, name: string, query: Asked['query'] = {}): AsyncGenerator<Event, void> {
    const path = { ...this.#place(), [kind.param]: name }
    return this.#list(`${this.#collection(kind)}/{${kind.param}}/events`, { path, query })
  }

  get = (kind: KindOfThing, name: string): Promise<AnyObject> => this.#ask('GET', kind, { name })
  create = (kind: KindOfThing, body: unknown): Promise<AnyObject> => this.#ask('POST', kind, { body })
  delete = (kind: KindOfThing, name: string): Promise<AnyObject> => this.#ask('DELETE', kind, { name })
  change = (kind: KindOfThing, name: string, body: unknown, query: Asked['query'] = {}): Promise<AnyObject> =>
    this.#ask('PATCH', kind, { name, body, query })

  /** The SDK's types name each route; here the route follows from the kind. */
  #ask(method: Method, kind: KindOfThing, { name, query = {}, body }: Asked): Promise<AnyObject> {
    const path = `/v1${this.#collection(kind)}${name === undefined ? '' : `/{${kind.param}}`}`
    const input = {
      path: { ...this.#place(), ...(name && { [kind.param]: name }) },
      query,
      ...(body !== undefined && { body }),
    }
    const call = this.#session.stead.call.bind(this.#session.stead) as (
      route: OperationName,
      input: object,
    ) => ReturnType<Stead['call']>
    return call(`${method} ${path}` as OperationName, input) as unknown as Promise<AnyObject>
  }

  #list<Item>(path: string, input: object): AsyncGenerator<Item, void> {
    return this.#session.stead.list(`GET /v1${path}` as 'GET /v1/regions', input as never) as never
  }

  #collection({ plural, scope }: KindOfThing): string {
    if (scope === 'project') return `/projects/{project}/${plural}`
    // Projects are listed where one is, and made in an organization.
    return scope === 'organization' ? `/organizations/{organization}/${plural}` : `/${plural}`
  }

  #place(): Readonly<Record<string, string>> {
    const { project } = this.#session.connection
    return { project, organization: this.#organization ?? project.split('/')[0]! }
  }
}
