import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Caller, nobody, type Place } from '../identity/caller.ts'
import type { Permission } from '../identity/permissions.ts'
import { type Question, readOf, refusal } from './access.ts'

const place: Place = { type: 'project', organizationId: 'org_1', projectId: 'pro_1' }
const holding = (...held: readonly string[]): Caller => ({ ...nobody, may: permission => held.includes(permission) })
const ask = (caller: Caller, more: Partial<Question> = {}) =>
  refusal({ caller, permission: 'tokens:create', scope: 'project', text: 'acme/shop', place, ...more })

describe('who asks for something in a project', () => {
  test('may, holding its permission', () => expect(ask(holding('tokens:create'))).toBeUndefined())
  test('is told which permission is missing, if they may read', () =>
    expect(ask(holding('tokens:read'))).toMatchObject({
      code: 'forbidden',
      details: { extensions: { permission: 'tokens:create' } },
    }))
  test('finds nothing, if they may not', () =>
    expect(ask(holding('projects:read'))).toMatchObject({ code: 'not_found' }))
  test('finds nothing, if reading is what they ask for', () =>
    expect(ask(holding('projects:read', 'tokens:create'), { permission: 'tokens:read' })).toMatchObject({
      code: 'not_found',
    }))
  test('need only see the project where no more is asked', () => {
    expect(ask(holding('projects:read'), { permission: 'authenticated' })).toBeUndefined()
    expect(ask(holding(), { permission: 'authenticated' })).toMatchObject({ code: 'not_found' })
  })
  test('is let in to what is public', () => expect(ask(nobody, { permission: 'public' })).toBeUndefined())
})

test('a place that is not there and one that may not be seen are the same, to the letter', () =>
  fc.assert(
    fc.property(fc.string(), fc.constantFrom('tokens:read', 'tokens:create', 'authenticated'), (text, permission) => {
      const question = { text, permission: permission as Permission }
      const hidden = ask(holding(), question)!
      const absent = ask(holding('tokens:read', 'tokens:create', 'projects:read'), { ...question, place: undefined })!
      expect([absent.code, absent.message, absent.details]).toEqual([hidden.code, hidden.message, hidden.details])
    }),
  ))

test('the platform is no secret: there the missing permission is always named', () => {
  const platform = { scope: 'platform', place: { type: 'platform' } } as const
  expect(ask(holding(), { ...platform, permission: 'organizations:create' })).toMatchObject({ code: 'forbidden' })
  expect(ask(holding(), { ...platform, permission: 'system:read' })).toMatchObject({ code: 'forbidden' })
  expect(ask(holding('system:read'), { ...platform, permission: 'system:read' })).toBeUndefined()
})

test('reading is the permission that makes a noun exist', () =>
  expect(readOf('service-accounts:delete')).toBe('service-accounts:read'))
