import { instant, millis, seconds } from '@stead/world'
import { isProviderError, ProviderError, type ProviderErrorCode } from '../../errors.ts'
import type { ServerFilter } from '../../filter.ts'
import type { LaunchSpec } from '../../launch-spec.ts'
import type { CallOptions, CreateOptions, Provider } from '../../provider.ts'
import { type ServerInfo, serverStates } from '../../server-info.ts'
import { serverInfo } from '../../simulated/client/info.ts'
import { isOwned, ownTags, serverTags } from '../../tags.ts'
import { type CreateToken, createToken } from '../../tokens.ts'
import { type Scene, wrong } from './altered.ts'

type Launch = Provider['launch']

/** What describe and list tell, changed in one way. */
const retold = (right: Provider, tell: (server: ServerInfo) => ServerInfo): Partial<Provider> => ({
  describe: async (id, options) => tell(await right.describe(id, options)),
  async *list(filter, options) {
    for await (const page of right.list(filter, options)) yield page.map(tell)
  },
})

/** The truth, which a describe may be late to tell. */
const stateOf = ({ account }: Scene, id: string) => account.servers.get(id)?.state

/** Turns one kind of failure into another. */
const recoded =
  (from: ProviderErrorCode, to: ProviderErrorCode) =>
  <Args extends unknown[], T>(call: (...args: Args) => Promise<T>) =>
  async (...args: Args): Promise<T> => {
    try {
      return await call(...args)
    } catch (error) {
      throw isProviderError(error, from) ? new ProviderError(to, error.message) : error
    }
  }

const offer = [
  wrong('what is advertised is there, and what is there is advertised', () => right => ({
    capabilities() {
      const { reboot: _, ...groups } = right.capabilities().groups
      return { ...right.capabilities(), groups }
    },
  })),
  wrong('it says how a create happens once', () => right => ({
    capabilities: () => ({ ...right.capabilities(), launch: { idempotency: { mode: 'hope' as 'token' } } }),
  })),
  wrong('the catalog offers what is launched', () => right => ({
    async catalog(options) {
      const catalog = await right.catalog(options)
      return { ...catalog, images: catalog.images.slice(1) }
    },
  })),
  wrong(
    'the ports of a service are its endpoints',
    () => right => retold(right, server => ({ ...server, endpoints: [] })),
  ),
]

const invalidImage = ({ source }: LaunchSpec, { subject }: Scene) => {
  const { invalid } = subject.sources
  return source.type === 'machine' && invalid.type === 'machine' && source.image === invalid.image
}

const launching = [
  wrong('launch returns as soon as an id exists', ({ subject }) => right => ({
    async launch(...args) {
      const server = await right.launch(...args)
      await subject.world.sleep(seconds(1))
      return server
    },
  })),
  wrong('a server is told whole, by launch, describe and list alike', () => right => ({
    async *list(filter, options) {
      for await (const page of right.list(filter, options)) yield page.map(({ launchedAt: _, ...server }) => server)
    },
  })),
  wrong(
    'a launched server comes to run, and tells when it was launched',
    () => right => retold(right, server => ({ ...server, launchedAt: instant(0) })),
  ),
  wrong('a server launched with power off comes to rest', () => right => ({
    launch: (spec, ...rest) => right.launch({ ...spec, power: 'on' }, ...rest),
  })),
  // Its memory of a token ends when the server runs.
  wrong('the same token and config give the same server', scene => {
    const made = new Map<CreateToken, string>()
    return right => ({
      async launch(spec, token, options) {
        const before = made.get(token)
        const done = before !== undefined && stateOf(scene, before) === 'active'
        const server = await right.launch(spec, done ? createToken(`${token}-again`) : token, options)
        made.set(token, server.id)
        return server
      },
    })
  }),
  // Every client that finds servers when it is connected thinks that tokens begin anew.
  wrong('the same token gives the same server to a client connected later', ({ account }) => right => {
    const era = account.servers.size
    return { launch: (spec, token, options) => right.launch(spec, createToken(`${token}-${era}`), options) }
  }),
  wrong('launches of one token at the same time give one server', () => {
    const inFlight = new Map<CreateToken, number>()
    return right => ({
      async launch(spec, token, options) {
        const others = inFlight.get(token) ?? 0
        inFlight.set(token, others + 1)
        const own = others === 0 ? token : createToken(`${token}-${others}`)
        return right.launch(spec, own, options).finally(() => inFlight.set(token, inFlight.get(token)! - 1))
      },
    })
  }),
  wrong('the same token with another config is a conflict', () => {
    const made = new Map<CreateToken, ServerInfo>()
    return right => ({
      async launch(spec, token, options) {
        try {
          const server = await right.launch(spec, token, options)
          made.set(token, server)
          return server
        } catch (error) {
          const before = made.get(token)
          if (before && isProviderError(error, 'Conflict')) return before
          throw error
        }
      },
    })
  }),
  wrong('another token gives another server', () => right => ({
    launch: (spec, _, options) => right.launch(spec, createToken(`${spec.tags[ownTags.serverId]}.1`), options),
  })),
  wrong(
    'every tag that was asked for is on the server',
    () => right =>
      retold(right, server => ({
        ...server,
        tags: Object.fromEntries(Object.entries(server.tags).filter(([, value]) => value !== '')),
      })),
  ),
  wrong('a launch without the tags that prove ownership is refused', ({ subject: { owner } }) => right => ({
    launch(spec, ...rest) {
      const proved = isOwned(spec.tags, owner.controlPlane) && spec.tags[ownTags.serverId] !== undefined
      return right.launch(proved ? spec : { ...spec, tags: { ...spec.tags, ...serverTags(owner, 'srv-x') } }, ...rest)
    },
  })),
  wrong('a source that is not supported is refused before anything starts', () => right => ({
    launch: recoded('Unsupported', 'InvalidConfig')(right.launch.bind(right)),
  })),
  wrong('an impossible config is InvalidConfig and not retryable', scene => right => ({
    launch: (spec, ...rest) =>
      invalidImage(spec, scene)
        ? recoded('InvalidConfig', 'Conflict')(right.launch.bind(right))(spec, ...rest)
        : right.launch(spec, ...rest),
  })),
  wrong('a failed launch leaves nothing behind', scene => right => ({
    async launch(spec, ...rest) {
      if (invalidImage(spec, scene)) await scene.subject.backend.plant({ Name: 'half a server' })
      return right.launch(spec, ...rest)
    },
  })),
]

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

const filtered =
  (change: (filter: ServerFilter) => ServerFilter) =>
  () =>
  (right: Provider): Partial<Provider> => ({ list: (filter, options) => right.list(change(filter), options) })

const listing = [
  wrong(
    'list takes all of its tags',
    filtered(({ tags: { 'stead.label.size': _, ...tags }, ...rest }) => ({ ...rest, tags })),
  ),
  wrong(
    'list takes any of its states',
    filtered(filter => ({ ...filter, ...(filter.states && { states: filter.states.slice(0, 1) }) })),
  ),
  wrong(
    'list hides the terminated unless they are asked for',
    filtered(filter => ({ states: serverStates, ...filter })),
  ),
  wrong('list pages to the end', () => right => ({
    async *list(filter, options) {
      for await (const page of right.list(filter, options)) {
        yield page
        return
      }
    },
  })),
  wrong(
    'list refuses an empty filter unless all is said',
    filtered(filter => ({ ...filter, all: true })),
  ),
  wrong(
    'list refuses a state that does not exist',
    filtered(filter => ({
      ...filter,
      ...(filter.states && { states: filter.states.filter(state => serverStates.includes(state)) }),
    })),
  ),
]

/** Acts on the cloud itself, whoever owns it. */
const unproved =
  (verb: 'stop' | 'terminate' | 'reboot') =>
  ({ account, subject }: Scene) =>
  (right: Provider): Partial<Provider> => ({
    async [verb](id: string, options: CallOptions) {
      const server = account.servers.get(id)
      if (!server || isOwned(server.tags, subject.owner.controlPlane)) return right[verb]!(id, options)
      server[verb](false)
      return serverInfo(server.view())
    },
  })

const owning = [
  wrong('what is not ours is not stopped', unproved('stop')),
  wrong('what is not ours is not terminated', unproved('terminate')),
  wrong('what is not ours is not changed by any other verb', unproved('reboot')),
  wrong('what is not ours can be seen when all is said', ({ subject }) => right => ({
    async *list(filter, options) {
      for await (const page of right.list(filter, options))
        yield page.filter(({ tags }) => isOwned(tags, subject.owner.controlPlane))
    },
  })),
]

const failing = [
  wrong('every failure is a typed error that says whether to try again', () => right => ({
    async describe(id, options) {
      if (!/^i-[0-9a-f]+$/.test(id)) throw new TypeError(`${id} is not an id`)
      return right.describe(id, options)
    },
  })),
  wrong('a backend that cannot be reached is Unavailable, never NotFound', () => right => ({
    describe: recoded('Unavailable', 'NotFound')(right.describe.bind(right)),
  })),
  wrong('bad credentials are Auth', () => right => ({
    stop: recoded('Auth', 'Unavailable')(right.stop.bind(right)),
  })),
  wrong('no room, no quota and too fast are told apart', () => right => ({
    launch: recoded('Quota', 'Capacity')(right.launch.bind(right)),
  })),
]

const deaf = (options: CreateOptions = {}): CreateOptions => {
  options.signal?.throwIfAborted()
  return options.fresh ? { fresh: true } : {}
}

const cancelling = [
  wrong('a call that was cancelled before it began does nothing', () => right => ({
    async stop(id, options) {
      const server = await right.stop(id)
      options?.signal?.throwIfAborted()
      return server
    },
  })),
  wrong('cancelling a launch is prompt', () => right => ({
    launch: async (spec, token, options) => right.launch(spec, token, deaf(options)),
  })),
  wrong('cancelling a launch loses no id', () => {
    const dropped = new Set<CreateToken>()
    const launch =
      (right: Provider): Launch =>
      async (spec, token, options) => {
        options?.signal?.addEventListener('abort', () => dropped.add(token))
        return right.launch(spec, dropped.has(token) ? createToken(`${token}-again`) : token, options)
      }
    return right => ({ launch: launch(right) })
  }),
  wrong('cancelling a read is prompt', () => right => ({
    async *list(filter, options) {
      options?.signal?.throwIfAborted()
      yield* right.list(filter)
    },
  })),
]

const many = [
  wrong('launches at the same time are all there, and no two are one', () => {
    let inFlight = 0
    let last: Promise<ServerInfo> | undefined
    return right => ({
      async launch(...args) {
        if (inFlight >= 20 && last) return last
        inFlight++
        last = right.launch(...args)
        return last.finally(() => inFlight--)
      },
    })
  }),
  wrong('terminations at the same time leave nothing', ({ subject }) => {
    let inFlight = 0
    return right => ({
      async terminate(id, options) {
        if (++inFlight < 20) await right.terminate(id, options)
        else await subject.world.sleep(millis(50))
        inFlight--
      },
    })
  }),
]

export const wrongInCore = [
  ...offer,
  ...launching,
  ...dying,
  ...power,
  ...listing,
  ...owning,
  ...failing,
  ...cancelling,
  ...many,
]
