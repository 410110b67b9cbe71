import type { Route } from '../door/route.ts'

const verbs = { GET: 'read', POST: 'create', PUT: 'update', PATCH: 'update', DELETE: 'delete' } as const

/** What a route does, as `noun:verb`: its permission; where it needs none, what its path and method say. */
export function actionOf({ permission, path, method }: Pick<Route, 'permission' | 'path' | 'method'>): string {
  if (permission !== 'public' && permission !== 'authenticated') return permission
  const noun = path
    .split('/')
    .filter(word => word !== '' && word !== 'v1' && !word.startsWith(':'))
    .at(-1)
  return `${noun ?? 'root'}:${verbs[method]}`
}

/** Reaching into what runs, or at what opens it. */
const sensitiveVerbs = new Set(['credentials', 'console', 'exec'])

/** Whether a request is told of even when it changes nothing. */
export function isSensitive(route: Pick<Route, 'permission' | 'path' | 'method'>, answersSecrets: boolean): boolean {
  const [noun, verb = ''] = actionOf(route).split(':')
  return answersSecrets || sensitiveVerbs.has(verb) || (noun === 'system' && route.method !== 'GET')
}
