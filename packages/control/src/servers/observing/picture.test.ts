import { ownTags, type ServerInfo } from '@stead/provider-kit'
import { instant } from '@stead/world'
import { expect, test } from 'vitest'
import type { Server, ServerStatus } from '../model.ts'
import { placeOf, seen } from './picture.ts'

const server = (status: Partial<ServerStatus> = {}, region = 'reg') =>
  ({ id: 'srv_1', spec: { region }, status: { attempt: 1, launch: 'sent', ...status } }) as Server
const info = (id = 'i-1', state: ServerInfo['state'] = 'running'): ServerInfo => ({
  id,
  state,
  addresses: { private: [], public: [] },
  endpoints: [],
  services: {},
  tags: { [ownTags.serverId]: 'srv_1' },
})
const place = (known: Server | undefined, what = info()) =>
  placeOf(what, 'reg', id => (id === 'srv_1' ? known : undefined))

test('an object belongs to the server that its tag names and that keeps its id', () => {
  expect(place(server({ backendId: 'i-1' }))).toMatchObject({ type: 'server' })
  expect(place(server())).toEqual({ type: 'launching' })
  expect(place(server({ backendId: 'i-2' }))).toMatchObject({ type: 'duplicate' })
  expect(place(server({ backendId: 'i-1' }, 'elsewhere'))).toEqual({ type: 'unknown' })
  expect(place(undefined)).toEqual({ type: 'unknown' })
  expect(place(server({ backendId: 'i-1' }), { ...info(), tags: {} })).toEqual({ type: 'unknown' })
})

const now = instant(100_000)
const look = (status: Partial<ServerStatus>, notBefore: number | undefined, what = info()) =>
  seen(server(status), { info: what, notBefore: notBefore === undefined ? undefined : instant(notBefore) }, now)

test('what is seen is written once', () => {
  const first = look({}, 90_000)
  expect(first).toMatchObject({ observed: { state: 'running' } })
  expect(look(first!, 90_000)).toBeUndefined()
})

test('a picture that may be from before our own change says nothing', () => {
  expect(look({ changedAt: instant(95_000) }, 90_000)).toBeUndefined()
  expect(look({ changedAt: instant(85_000) }, 90_000)).toBeDefined()
  expect(look({ changedAt: instant(95_000) }, undefined)).toBeDefined()
})

test('a clock that is far ahead blinds nobody', () =>
  expect(look({ changedAt: instant(10_000_000) }, 90_000)).toBeDefined())

test('what is seen again is not lost', () => {
  const lost = { lost: { at: instant(1), reason: 'gone' } }
  expect(look(lost, 90_000)).not.toHaveProperty('lost')
  expect(look(lost, 90_000, info('i-1', 'terminated'))).toHaveProperty('lost')
})
