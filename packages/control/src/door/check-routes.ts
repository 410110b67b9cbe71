import { jsonSchema } from '../schema/json-schema.ts'
import { holdsSecrets } from '../schema/secret.ts'
import { type Route, routeName, type Scope } from './route.ts'

export interface RouteCheckOptions {
  /** Every permission there is. */
  readonly permissions: readonly string[]
  /** Whether answers that hold secrets can be kept. */
  readonly hasSealer: boolean
}

const scopes: readonly Scope[] = ['platform', 'organization', 'project']

/**
 * Refuses to start with a route that forgot something, and says which and what: a hole in the door is found here, or by
 * somebody else.
 */
export function checkRoutes(routes: readonly Route[], options: RouteCheckOptions): void {
  const seen = new Set<string>()
  const faults = routes.flatMap(route => {
    const shape = `${route.method} ${route.path.replaceAll(/:\w+/g, ':')}`
    const twice = seen.size === seen.add(shape).size ? ['is defined twice'] : []
    return [...twice, ...faultsOf(route, options)].map(fault => `${routeName(route)} ${fault}`)
  })
  if (faults.length > 0) throw new Error(`these routes cannot be served:\n${faults.join('\n')}`)
}

function faultsOf(route: Route, { permissions, hasSealer }: RouteCheckOptions): readonly string[] {
  const { method, path, permission, scope, body, upload, socket, deadline, replies, summary } = route
  const params = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!)
  const faults: string[] = []
  if (!permission) faults.push('declares no permission')
  else if (!['public', 'authenticated'].includes(permission) && !permissions.includes(permission))
    faults.push(`needs the permission ${permission}, which does not exist`)
  if (!scopes.includes(scope)) faults.push(`has the scope ${scope}, which does not exist`)
  for (const other of ['organization', 'project'] as const) {
    if (scope === other && !params.includes(other))
      faults.push(`is about one ${other} and has no :${other} in its path`)
    if (scope !== other && params.includes(other)) faults.push(`has :${other} in its path, but its scope is ${scope}`)
  }
  if (permission === 'public' && scope !== 'platform') faults.push(`is public, but about one ${scope}`)
  if (method === 'GET' && body) faults.push('is a GET with a body')
  if (upload !== undefined && method !== 'PUT') faults.push('takes an upload, which only a PUT does')
  if (upload !== undefined && body) faults.push('takes an upload and a body')
  if (upload !== undefined && deadline === undefined)
    faults.push('takes an upload, and does not say how long that may take')
  if (socket !== undefined && method !== 'GET') faults.push('is a WebSocket, which only a GET is')
  if (socket !== undefined && !replies?.[101]) faults.push('is a WebSocket, and does not answer 101')
  if (Object.keys(replies ?? {}).length === 0) faults.push('declares no answer')
  if (!summary) faults.push('has no summary')
  if (method === 'POST' && !hasSealer && Object.values(replies).some(holdsSecrets))
    faults.push('answers with secrets, which cannot be kept for its Idempotency-Key without a sealer')
  return [...faults, ...paramFaults(route, params)]
}

/** Each parameter of the path is the scope's, the target's, or described. */
function paramFaults({ scope, target, params: schema }: Route, params: readonly string[]): readonly string[] {
  const targetParam = target && (target.param ?? target.kind)
  const described = Object.keys((schema && jsonSchema(schema).properties) ?? {})
  const known = [scope, targetParam, ...described]
  return [
    ...params
      .filter(name => !known.includes(name) && name !== 'organization' && name !== 'project')
      .map(name => `has :${name} in its path and does not say what it is`),
    ...[targetParam, ...described]
      .filter(name => name !== undefined && !params.includes(name))
      .map(name => `speaks of :${name}, which is not in its path`),
  ]
}
