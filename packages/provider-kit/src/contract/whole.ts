import assert from 'node:assert/strict'
import { type ServerInfo, serverStates } from '../server-info.ts'

const isText = (value: unknown) => typeof value === 'string'
const areTexts = (value: unknown) => Array.isArray(value) && value.every(isText)

/** What each part of a server has to be. What a provider does not know it says by leaving it out, not by lies. */
const parts: Readonly<Record<string, (server: ServerInfo) => boolean>> = {
  id: ({ id }) => isText(id) && id !== '',
  state: ({ state }) => serverStates.includes(state),
  launchedAt: ({ launchedAt }) => launchedAt === undefined || Number.isFinite(launchedAt),
  addresses: ({ addresses }) => areTexts(addresses?.private) && areTexts(addresses?.public),
  endpoints: ({ endpoints }) =>
    Array.isArray(endpoints) && endpoints.every(({ host, port }) => host !== '' && port > 0 && port < 65_536),
  services: ({ services }) => services !== null && typeof services === 'object',
  tags: ({ tags }) => areTexts(Object.values(tags ?? [undefined])),
}

/** Every part of a server is there and is of its kind. */
export function assertWhole(server: ServerInfo): void {
  for (const [part, holds] of Object.entries(parts))
    if (!holds(server)) assert.fail(`${part} of ${JSON.stringify(server)}`)
}
