import { DatabaseError } from 'pg'
import { expect, test } from 'vitest'
import { UnavailableError } from '../words/errors.ts'
import { asCallerError, failureKind } from './failure.ts'

const answer = (code: string) => Object.assign(new DatabaseError('said so', 7, 'error'), { code })
const socket = (code: string) => Object.assign(new Error('a socket’s error'), { code })

test.each([
  ['a server that shuts down', answer('57P01'), 'passing'],
  ['one that starts', answer('57P03'), 'passing'],
  ['a standby', answer('25006'), 'passing'],
  ['a turn that did not come in time', answer('55P03'), 'passing'],
  ['a full disk', answer('53100'), 'passing'],
  ['a deadlock', answer('40P01'), 'passing'],
  ['nobody there', socket('ECONNREFUSED'), 'passing'],
  ['a broken connection', new Error('Connection terminated unexpectedly'), 'passing'],
  ['a wrong password', answer('28P01'), 'refused'],
  ['a missing right', answer('42501'), 'refused'],
  ['a certificate nobody knows', socket('SELF_SIGNED_CERT_IN_CHAIN'), 'refused'],
  ['a table that is not there', answer('42P01'), 'bug'],
  ['a revision that is there already', answer('23505'), 'bug'],
  ['a mistake of ours', new TypeError('not a function'), 'bug'],
] as const)('%s', (_, error, kind) => {
  expect(failureKind(error)).toBe(kind)
  const told = asCallerError(error)
  if (kind === 'bug') expect(told).toBe(error)
  else expect(told).toBeInstanceOf(UnavailableError)
})
