import type { ReconcileContext } from '@stead/engine'
import { type Capabilities, ownTags, type ServerInfo } from '@stead/provider-kit'
import { millis, VirtualWorld } from '@stead/world'
import { expect, test } from 'vitest'
import type { Server } from '../model.ts'
import { RegionMemory } from './memory.ts'
import { survey } from './survey.ts'

const server = {
  id: 'srv_1',
  revision: 7,
  spec: { region: 'reg' },
  status: { attempt: 1, launch: 'sent', backendId: 'i-1' },
} as Server
const info = {
  id: 'i-1',
  state: 'stopped',
  tags: { [ownTags.serverId]: 'srv_1' },
  addresses: { private: [], public: [] },
  endpoints: [],
  services: {},
} as ServerInfo
const cache = { get: () => server, list: () => ({ items: [server] }) } as unknown as ReconcileContext['cache']
const capabilities = { groups: {}, consistency: { describe: millis(0), list: millis(0) } } as Capabilities

const look = (shows: number) =>
  survey(
    { infos: [info], began: 0, shows },
    { region: 'reg', cache, capabilities, memory: new RegionMemory(new VirtualWorld({ seed: 1 }), {}) },
  )

test('a list is believed of a server that was last written before what it shows', () =>
  expect(look(7)).toMatchObject({ seen: [{ server }], doubted: 0, missing: [] }))

test('a list that may be older than what was written of a server says nothing of how it is, and that it is there', () =>
  expect(look(6)).toMatchObject({ seen: [], doubted: 1, missing: [], expected: 1 }))
