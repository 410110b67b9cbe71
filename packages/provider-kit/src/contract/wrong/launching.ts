import { instant, seconds } from '@stead/world'
import { isProviderError } from '../../errors.ts'
import type { LaunchSpec } from '../../launch-spec.ts'
import type { ServerInfo } from '../../server-info.ts'
import { isOwned, ownTags, serverTags } from '../../tags.ts'
import { type CreateToken, createToken } from '../../tokens.ts'
import { recoded, retold, type Scene, stateOf, wrong } from './altered.ts'

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

export const wrongInLaunching = [...offer, ...launching]
