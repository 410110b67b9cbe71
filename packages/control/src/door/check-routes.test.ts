import { minutes } from '@stead/world'
import Type from 'typebox'
import { expect, test } from 'vitest'
import { secret } from '../schema/secret.ts'
import { checkRoutes } from './check-routes.ts'
import type { Route } from './route.ts'

const sound: Route = {
  method: 'POST',
  path: '/v1/projects/:project/things/:thing/ports/:port',
  summary: 'Do it',
  scope: 'project',
  permission: 'projects:read',
  target: { kind: 'thing' },
  params: Type.Object({ port: Type.String() }),
  replies: { 200: Type.Object({}) },
  handle: () => ({ status: 200, body: {} }),
}
const faultOf = (changes: object, hasSealer = true) => {
  const route = { ...sound, ...changes } as Route
  try {
    checkRoutes([route], { permissions: ['projects:read'], hasSealer })
    return undefined
  } catch (error) {
    return (error as Error).message.split('\n')[1]
  }
}

test('a route that forgot nothing is served', () => expect(faultOf({})).toBeUndefined())

test.each([
  [{ permission: undefined }, 'declares no permission'],
  [{ permission: 'projects:raed' }, 'needs the permission projects:raed, which does not exist'],
  [{ scope: 'planet' }, 'has the scope planet, which does not exist'],
  [{ path: '/v1/things/:thing/ports/:port' }, 'is about one project and has no :project in its path'],
  [{ scope: 'platform' }, 'has :project in its path, but its scope is platform'],
  [{ permission: 'public' }, 'is public, but about one project'],
  [{ params: Type.Object({}) }, 'has :port in its path and does not say what it is'],
  [{ target: { kind: 'other' } }, 'has :thing in its path and does not say what it is'],
  [{ path: '/v1/projects/:project/ports/:port' }, 'speaks of :thing, which is not in its path'],
  [{ method: 'GET', body: Type.Object({}) }, 'is a GET with a body'],
  [{ upload: 'bytes', deadline: minutes(1) }, 'takes an upload, which only a PUT does'],
  [{ method: 'PUT', upload: 'bytes', deadline: minutes(1), body: Type.Object({}) }, 'takes an upload and a body'],
  [{ method: 'PUT', upload: 'bytes' }, 'takes an upload, and does not say how long that may take'],
  [{ replies: {} }, 'declares no answer'],
  [{ summary: '' }, 'has no summary'],
])('%j is refused, and the message names the route', (changes, fault) => {
  const route = { ...sound, ...changes }
  expect(faultOf(changes)).toBe(`${route.method} ${route.path} ${fault}`)
})

test('one that answers with secrets needs a way to keep them', () => {
  const replies = { 201: Type.Object({ token: secret(Type.String()) }) }
  expect(faultOf({ replies }, true)).toBeUndefined()
  expect(faultOf({ replies }, false)).toContain('answers with secrets')
})

test('two that answer the same are refused, however their parameters are called', () => {
  const other = { ...sound, path: sound.path.replace(':port', ':door'), params: Type.Object({ door: Type.String() }) }
  const check = () => checkRoutes([sound, other], { permissions: ['projects:read'], hasSealer: true })
  expect(check).toThrow(`${other.method} ${other.path} is defined twice`)
})
