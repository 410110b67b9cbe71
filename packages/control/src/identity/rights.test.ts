import { describe, expect, test } from 'vitest'
import type { Place } from './caller.ts'
import { permissions } from './permissions.ts'
import { covers } from './rights.ts'
import { builtInRoles } from './roles/built-in.ts'
import { inScope } from './tokens/model.ts'

const platform: Place = { type: 'platform' }
const organization = (organizationId: string): Place => ({ type: 'organization', organizationId })
const project = (organizationId: string, projectId: string): Place => ({ type: 'project', organizationId, projectId })

test('what is held on the platform holds everywhere, on an organization in its projects, on a project there alone', () => {
  const places = [
    platform,
    organization('a'),
    organization('b'),
    project('a', '1'),
    project('a', '2'),
    project('b', '3'),
  ]
  const covered = (held: Place) => places.filter(place => covers(held, place))
  expect(covered(platform)).toEqual(places)
  expect(covered(organization('a'))).toEqual([organization('a'), project('a', '1'), project('a', '2')])
  expect(covered(project('a', '1'))).toEqual([project('a', '1')])
})

test('a scope only narrows: to some permissions, to one project', () => {
  expect(inScope(undefined, 'system:update', platform)).toBe(true)
  expect(inScope({ permissions: ['projects:read'] }, 'projects:read', project('a', '1'))).toBe(true)
  expect(inScope({ permissions: ['projects:read'] }, 'projects:update', project('a', '1'))).toBe(false)
  expect(inScope({ projectId: '1' }, 'projects:update', project('a', '1'))).toBe(true)
  expect(inScope({ projectId: '1' }, 'projects:update', project('a', '2'))).toBe(false)
  expect(inScope({ projectId: '1' }, 'projects:read', organization('a'))).toBe(false)
  expect(inScope({ projectId: '1' }, 'projects:read', platform)).toBe(false)
})

describe('built-in roles', () => {
  const role = (name: string) => builtInRoles.find(each => each.name === name)!
  const changes = (name: string) => [...role(name).permissions].filter(permission => !permission.endsWith(':read'))

  test('platform-admin may everything', () => expect(role('platform-admin').permissions).toEqual(new Set(permissions)))

  test('reader and auditor change nothing; the auditor sees the more', () => {
    expect(changes('reader')).toEqual([])
    expect(changes('auditor')).toEqual([])
    expect([...role('reader').permissions].filter(permission => !role('auditor').permissions.has(permission))).toEqual(
      [],
    )
    expect(role('auditor').permissions).toContain('audit:read')
    expect(role('reader').permissions).not.toContain('audit:read')
  })

  test('no role but platform-admin moves the limits of an organization, ends it, or rules the system', () => {
    for (const permission of ['quotas:limit', 'organizations:create', 'organizations:delete', 'system:update'] as const)
      expect(builtInRoles.filter(each => each.permissions.has(permission)).map(each => each.name)).toEqual([
        'platform-admin',
      ])
  })

  test('operator and developer decide nothing about people, roles, limits, projects or organizations', () => {
    const nouns = /^(organizations|projects|users|service-accounts|tokens|roles|grants|quotas|audit|system):/
    for (const name of ['operator', 'developer'])
      expect(changes(name).filter(permission => nouns.test(permission))).toEqual([])
  })

  test('a role that may be given to less than the platform never rules the platform', () => {
    for (const { name, givenOn, permissions } of builtInRoles)
      if (!givenOn.includes('platform')) expect([name, permissions.has('system:update')]).toEqual([name, false])
  })
})
