import { hours } from '@stead/world'
import Type from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Route, routeName } from '../door/route.ts'
import type { Permission } from './permissions.ts'
import { builtInRole, builtInRoles } from './roles/built-in.ts'
import { type Account, IdentityHouse } from './tests/house.ts'
import { isMeantFor, isMeantForAnybody } from './tests/purposes.ts'

/**
 * Every route, as it declares itself, with a handler that only says that it was reached: the whole way to it is real,
 * and nothing is changed by trying.
 */
function probed(route: Route): Route {
  const { method, path, summary, scope, permission } = route
  const params = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!).filter(name => name !== scope)
  return {
    method,
    path,
    summary,
    scope,
    permission,
    params: Type.Object(Object.fromEntries(params.map(name => [name, Type.String()]))),
    replies: { 204: Type.Null() },
    handle: () => ({ status: 204 }),
  }
}

/** Where each role is given in this test. */
const givenOn = {
  'platform-admin': 'platform',
  'org-admin': 'organization',
  'project-admin': 'project',
  operator: 'project',
  developer: 'project',
  reader: 'project',
  auditor: 'organization',
} as const
type RoleName = keyof typeof givenOn
const roles = Object.keys(givenOn) as RoleName[]

/** Places a route may be asked about, from nearest to furthest, and who there is covered by a grant of their own place. */
const places = {
  own: { organization: 'acme', project: 'acme%2Fshop', coveredBy: ['platform', 'organization', 'project'] },
  'of another project': { organization: 'acme', project: 'acme%2Flab', coveredBy: ['platform', 'organization'] },
  'of another organization': { organization: 'globex', project: 'globex%2Fmain', coveredBy: ['platform'] },
} as const
type PlaceName = keyof typeof places

const urlOf = ({ path }: Route, place: PlaceName) =>
  path
    .replace(':organization', places[place].organization)
    .replace(':project', places[place].project)
    .replaceAll(/:\w+/g, 'something')

/** What the declaration of a route promises to somebody with a role. */
function declared({ permission, scope }: Route, role: RoleName, place: PlaceName): number {
  if (permission === 'public' || (permission === 'authenticated' && scope === 'platform')) return 204
  const { permissions } = builtInRole(role)!
  const given = givenOn[role]
  const isCovered =
    scope === 'platform'
      ? given === 'platform'
      : scope === 'organization'
        ? given === 'platform' || (given === 'organization' && places[place].organization === 'acme')
        : (places[place].coveredBy as readonly string[]).includes(given)
  const needed = permission === 'authenticated' ? (`${scope}s:read` as Permission) : permission
  if (isCovered && permissions.has(needed)) return 204
  if (scope === 'platform') return 403
  const reading = `${needed.split(':')[0]}:read`
  return isCovered && permissions.has(reading as Permission) ? 403 : 404
}

let house: IdentityHouse
let url: string
const accounts = {} as Record<RoleName, Account>

beforeAll(async () => {
  house = await IdentityHouse.openForAll()
  for (const organization of ['acme', 'globex']) await house.organization(organization)
  for (const [organization, project] of [
    ['acme', 'shop'],
    ['acme', 'lab'],
    ['globex', 'main'],
  ] as const)
    await house.project(organization, project)
  for (const role of roles) accounts[role] = await settle(role)
  url = await house.serve(house.rooms.routes.map(probed))
})
afterAll(() => house.close())

/** An account with the role in its place. */
async function settle(role: RoleName): Promise<Account> {
  const given = givenOn[role]
  if (given !== 'platform')
    return house.account('acme', role, { role, ...(given === 'project' && { project: 'shop' }) })
  const path = `/v1/service-accounts/${role}`
  const { metadata } = await house.must(201, 'POST', '/v1/service-accounts', { body: { name: role } })
  await house.must(201, 'POST', '/v1/grants', { body: { principal: metadata.id, role } })
  const issued = await house.must(201, 'POST', `${path}/tokens`, { body: { expiresIn: '24h' } })
  return { id: metadata.id, path, token: issued.token, tokenId: issued.metadata.id }
}

const ask = async (route: Route, place: PlaceName, token: string | undefined): Promise<number> => {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const response = await fetch(url + urlOf(route, place), { method: route.method, headers })
  await response.body?.cancel()
  return response.status
}

/** One line for each answer that is not the expected one. */
async function wrong(
  what: string,
  route: Route,
  status: Promise<number>,
  expected: number,
): Promise<readonly string[]> {
  const actual = await status
  return actual === expected ? [] : [`${routeName(route)} ${what}: ${actual}, not ${expected}`]
}

const each = async (check: (route: Route) => Promise<readonly string[]>): Promise<readonly string[]> => {
  const found: string[] = []
  for (const route of house.rooms.routes) found.push(...(await check(route)))
  return found
}

test('every built-in role is tried', () =>
  expect([...roles].sort()).toEqual(builtInRoles.map(({ name }) => name).sort()))

for (const role of roles)
  for (const place of Object.keys(places) as PlaceName[])
    test(`${role}, for things ${place}: as each route declares`, async () => {
      const { token } = accounts[role]
      expect(await each(route => wrong(role, route, ask(route, place, token), declared(route, role, place)))).toEqual(
        [],
      )
    })

for (const role of roles)
  test(`${role} may do what the role is for, and nothing else`, async () => {
    const { token } = accounts[role]
    const faults = await each(async route => {
      const isReached = (await ask(route, 'own', token)) === 204
      const isMeant = isMeantFor(role, route)
      return isReached === isMeant ? [] : [`${routeName(route)} is ${isMeant ? 'refused' : 'open'} to ${role}`]
    })
    expect(faults).toEqual([])
  })

test('nobody comes in without a token, with an expired one, or with a revoked one, where it is not meant for anybody', async () => {
  const expired = await house.must(201, 'POST', `${accounts['platform-admin'].path}/tokens`, {
    body: { expiresIn: '1h' },
  })
  const lasting = await house.must(201, 'POST', `${accounts['platform-admin'].path}/tokens`, {
    body: { expiresIn: '24h' },
  })
  house.pass(hours(2))
  await house.must(202, 'DELETE', `${accounts['platform-admin'].path}/tokens/${lasting.metadata.id}`)
  const strangers = { nobody: undefined, expired: expired.token, revoked: lasting.token, nonsense: 'stead_x' }
  for (const [what, token] of Object.entries(strangers))
    expect(
      await each(route => wrong(what, route, ask(route, 'own', token), isMeantForAnybody(route) ? 204 : 401)),
    ).toEqual([])
})
