import { type ChangeSet, createMetrics, silentLogger } from '@stead/engine'
import { instant, VirtualWorld } from '@stead/world'
import Type from 'typebox'
import { expect, test } from 'vitest'
import { type Route, route } from '../door/route.ts'
import { nobody } from '../identity/caller.ts'
import type { Permission } from '../identity/permissions.ts'
import { secret } from '../schema/secret.ts'
import { actionOf } from './action.ts'
import type { AuditBody } from './model.ts'
import { Audit } from './witness.ts'

const routeOf = (method: Route['method'], path: string, permission: string, reply = Type.Object({})): Route =>
  route({
    ...{ method, path, summary: 'x', scope: 'platform', permission: permission as Permission },
    replies: { 200: reply },
    handle: () => ({ status: 200, body: {} }),
  })

/** What is written of a request that was answered well and changed nothing. */
async function told(asked: Route): Promise<readonly string[]> {
  const sets: ChangeSet[] = []
  const audit = new Audit({
    everything: { get: () => undefined } as never,
    kinds: [],
    world: new VirtualWorld({ seed: 1 }),
    log: silentLogger,
    metrics: createMetrics(),
    async commit(set) {
      sets.push(set)
      return { revision: 1, at: instant(0) }
    },
  })
  const caller = { ...nobody, type: 'user' as const, principalId: 'usr_1' }
  const place = { type: 'platform' as const }
  const act = {
    route: asked,
    caller,
    tried: undefined,
    place,
    targetId: undefined,
    address: '::1',
    userAgent: undefined,
    traceId: 't',
  }
  audit.ended(act, { status: 200, code: undefined, isDenied: false, hasChanged: false })
  await audit.close()
  const records = sets.flatMap(set => set.records).filter(({ table }) => table === 'audit')
  return records.map(({ body }) => (body as AuditBody).action)
}

test.each(['credentials', 'console', 'exec'])(
  'what needs the permission instances:%s is told, though it changes nothing',
  async verb => {
    for (const method of ['GET', 'POST'] as const)
      expect(await told(routeOf(method, '/v1/x', `instances:${verb}`))).toEqual([`instances:${verb}`])
  },
)

test('reading something that holds a secret is told, whatever permission it needs', async () => {
  const reply = Type.Object({ key: secret(Type.String()) })
  expect(await told(routeOf('GET', '/v1/keys', 'instances:read', reply))).toEqual(['instances:read'])
})

test('reading anything else is not told', async () => {
  expect(await told(routeOf('GET', '/v1/x', 'instances:read'))).toEqual([])
  expect(await told(routeOf('GET', '/v1/system/x', 'system:read'))).toEqual([])
})

test('an action is the permission of its route, or what path and method say', () => {
  expect(actionOf(routeOf('POST', '/v1/projects/:project/instances/:instance/start', 'instances:power'))).toBe(
    'instances:power',
  )
  expect(actionOf(routeOf('POST', '/v1/sessions', 'public'))).toBe('sessions:create')
  expect(actionOf(routeOf('DELETE', '/v1/me/sessions/:session', 'authenticated'))).toBe('sessions:delete')
})
