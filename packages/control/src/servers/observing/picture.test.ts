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
const adopter = { ...server({ backendId: 'i-adopted', adopting: 'claim' }), id: 'srv_2' } as Server
const place = (known: Server | undefined, what = info()) =>
  placeOf(what, 'reg', {
    byId: id => (id === 'srv_1' ? known : undefined),
    byBackend: id => (id === 'i-adopted' ? adopter : undefined),
  })

test('an object belongs to the server that its tag names and that keeps its id', () => {
  expect(place(server({ backendId: 'i-1' }))).toMatchObject({ type: 'server' })
  expect(place(server())).toEqual({ type: 'launching' })
  expect(place(server({ backendId: 'i-2' }))).toMatchObject({ type: 'duplicate' })
  expect(place(server({ backendId: 'i-1' }, 'elsewhere'))).toEqual({ type: 'unknown' })
  expect(place(undefined)).toEqual({ type: 'unknown' })
  expect(place(server({ backendId: 'i-1' }), { ...info(), tags: {} })).toEqual({ type: 'unknown' })
})

const look = (status: Partial<ServerStatus>, what = info()) => seen(server(status), { info: what, relabels: true })

test('what is seen is written once', () => {
  const first = look({})
  expect(first).toMatchObject({ observed: { state: 'running' } })
  expect(look(first!)).toBeUndefined()
})

test('what is seen again is not lost', () => {
  const lost = { lost: { at: instant(1), reason: 'gone' } }
  expect(look(lost)).not.toHaveProperty('lost')
  expect(look(lost, info('i-1', 'terminated'))).toHaveProperty('lost')
})

test('labels that are not those it was given are seen, once nothing is being done to it', () => {
  const applied = { launch: 'a', power: 'on', restart: 0, rebuild: 0 } as const
  const steady = {
    ...server({ backendId: 'i-1', applied }),
    labels: { tier: 'web' },
    spec: { region: 'reg', power: 'on', launch: { sealed: 'a', sizeBytes: 1 } },
  } as unknown as Server
  const labelled = (tier: string) => ({ ...info(), tags: { ...info().tags, 'stead.label.tier': tier } })
  const at = (what: ServerInfo, relabels = true, whose = steady) => seen(whose, { info: what, relabels })
  expect(at(labelled('web'))).not.toHaveProperty('observed.labels')
  expect(at(labelled('api'))).toHaveProperty('observed.labels', { tier: 'api' })
  expect(at(info())).toHaveProperty('observed.labels', {})
  expect(at(labelled('api'), false)).not.toHaveProperty('observed.labels')
  const moving = { ...steady, status: { ...steady.status, powering: 'off' } } as Server
  expect(at(labelled('api'), true, moving)).not.toHaveProperty('observed.labels')
})

test('an object that was adopted belongs to who adopted it, whatever its tags still say', () => {
  for (const known of [undefined, server(), server({ backendId: 'i-2' })])
    expect(place(known, info('i-adopted'))).toEqual({ type: 'server', server: adopter })
})
