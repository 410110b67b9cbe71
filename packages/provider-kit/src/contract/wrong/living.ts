import { ProviderError } from '../../errors.ts'
import type { ServerInfo } from '../../server-info.ts'
import { serverInfo } from '../../simulated/client/info.ts'
import { isOwned } from '../../tags.ts'
import { stateOf, wrong } from './altered.ts'

const dying = [
  wrong('terminate makes a server go away, with all that came with it', scene => right => ({
    async terminate(id, options) {
      if (stateOf(scene, id) === 'active') await scene.subject.backend.plant({ Name: `disk of ${id}` })
      return right.terminate(id, options)
    },
  })),
  wrong('terminate of the gone succeeds', scene => right => ({
    async terminate(id, options) {
      if (stateOf(scene, id) === 'deleted') throw new ProviderError('NotFound', `${id} is gone`)
      return right.terminate(id, options)
    },
  })),
  wrong('terminate of the never-seen succeeds', scene => right => ({
    async terminate(id, options) {
      if (!stateOf(scene, id)) throw new ProviderError('NotFound', `there is no ${id}`)
      return right.terminate(id, options)
    },
  })),
  wrong('terminate takes hold right after launch', scene => right => ({
    async terminate(id, options) {
      if (stateOf(scene, id) === 'building') await right.catalog(options)
      else await right.terminate(id, options)
    },
  })),
  wrong('terminate takes a stopped server, too', scene => right => ({
    async terminate(id, options) {
      if (stateOf(scene, id) === 'halted') throw new ProviderError('Conflict', `${id} is halted`)
      return right.terminate(id, options)
    },
  })),
  wrong('what is terminated does not come back', scene => right => ({
    start: async (id, options) =>
      stateOf(scene, id) === 'deleted' ? right.describe(id, options) : right.start(id, options),
  })),
]

const power = [
  wrong('stop brings a server to rest, asked or forced', () => right => ({
    stop: (id, options) => (options?.hard ? right.describe(id, options) : right.stop(id, options)),
  })),
  wrong('stop of the stopped succeeds', scene => right => ({
    async stop(id, options) {
      if (stateOf(scene, id) === 'halted') throw new ProviderError('Conflict', `${id} is halted`)
      return right.stop(id, options)
    },
  })),
  wrong('start makes a server at rest run, also one that never ran', ({ account }) => right => ({
    start: (id, options) =>
      account.servers.get(id)?.boots === 0 ? right.describe(id, options) : right.start(id, options),
  })),
  wrong('start of the running succeeds and restarts nothing', ({ account }) => right => ({
    async start(id, options) {
      const server = account.servers.get(id)
      if (server?.state !== 'active' || !isOwned(server.tags, 'cp-contract')) return right.start(id, options)
      server.boots++
      return serverInfo(server.view())
    },
  })),
  wrong('start answers fresh addresses', () => {
    const before = new Map<string, ServerInfo['addresses']>()
    return right => ({
      async describe(id, options) {
        const server = await right.describe(id, options)
        if (server.addresses.private.length > 0) before.set(id, server.addresses)
        return server
      },
      async start(id, options) {
        const server = await right.start(id, options)
        return { ...server, addresses: before.get(id) ?? server.addresses }
      },
    })
  }),
  // Only a server that was not resized meanwhile: keeping the disk over that is another promise.
  wrong('storage survives stop', ({ account }) => {
    const resized = new Set<string>()
    return right => ({
      resize(id, ...rest) {
        resized.add(id)
        return right.resize!(id, ...rest)
      },
      async start(id, options) {
        const server = await right.start(id, options)
        if (!resized.has(id)) account.servers.get(id)?.disk.delete('/marker')
        return server
      },
    })
  }),
  wrong('start of a server that is still stopping waits, or says that it passes', scene => right => ({
    async start(id, options) {
      if (stateOf(scene, id) === 'stopping') throw new ProviderError('Conflict', 'wrong state')
      return right.start(id, options)
    },
  })),
  wrong('describe, stop and start of the never-seen are NotFound', ({ account }) => right => ({
    async stop(id, options) {
      if (/^i-e+$/.test(id) && !account.servers.get(id)) return { ...nothing, id }
      return right.stop(id, options)
    },
  })),
  wrong('the states of a life never go back', () => right => ({
    async describe(id, options) {
      const server = await right.describe(id, options)
      return server.state === 'stopping' ? { ...server, state: 'pending' } : server
    },
  })),
]

const nothing: ServerInfo = {
  id: '',
  state: 'stopped',
  addresses: { private: [], public: [] },
  endpoints: [],
  services: {},
  tags: {},
}

export const wrongInLiving = [...dying, ...power]
