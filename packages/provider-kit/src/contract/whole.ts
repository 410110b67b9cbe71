import assert from 'node:assert/strict'
import { type ServerInfo, serverStates } from '../server-info.ts'

/** Every part of a server is there and is of its kind. What a provider does not know it says by leaving it out, not by lies. */
export function assertWhole(server: ServerInfo): void {
  const wrong = (part: string) => `${part} of ${JSON.stringify(server)}`
  assert.ok(typeof server.id === 'string' && server.id !== '', wrong('id'))
  assert.ok(serverStates.includes(server.state), wrong('state'))
  assert.ok(server.launchedAt === undefined || Number.isFinite(server.launchedAt), wrong('launchedAt'))
  for (const kind of ['private', 'public'] as const)
    assert.ok(isTexts(server.addresses?.[kind]), wrong(`addresses.${kind}`))
  assert.ok(Array.isArray(server.endpoints), wrong('endpoints'))
  for (const endpoint of server.endpoints)
    assert.ok(endpoint.host !== '' && endpoint.port > 0 && endpoint.port < 65_536, wrong('endpoints'))
  assert.ok(server.services && typeof server.services === 'object', wrong('services'))
  assert.ok(server.tags && isTexts(Object.values(server.tags)), wrong('tags'))
}

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every(text => typeof text === 'string' && text !== undefined)
