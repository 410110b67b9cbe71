import { isProviderError, ProviderError } from '../../errors.ts'
import type { KeptAddresses, LaunchSpec } from '../../launch-spec.ts'
import type { Provider } from '../../provider.ts'
import { type Scene, type WrongProvider, wrong } from './altered.ts'

const keeping = ({ source }: LaunchSpec): KeptAddresses | undefined =>
  source.type === 'machine' ? source.keepAddresses : undefined

const withKeep = (spec: LaunchSpec, keepAddresses: KeptAddresses): LaunchSpec =>
  spec.source.type === 'machine' ? { ...spec, source: { ...spec.source, keepAddresses } } : spec

/** Names under which a server was launched, and how often. */
function names() {
  const launched = new Map<string, number>()
  return {
    count: ({ of }: KeptAddresses) => launched.get(of) ?? 0,
    note: ({ of }: KeptAddresses) => launched.set(of, (launched.get(of) ?? 0) + 1),
  }
}

/** Starts one that was the only one of its name, or was not, with an address that is not its own. */
const astray =
  (isConcerned: (launched: number) => boolean) =>
  ({ account }: Scene) => {
    const known = names()
    return (right: Provider): Partial<Provider> => ({
      async launch(spec, ...rest) {
        const info = await right.launch(spec, ...rest)
        const keep = keeping(spec)
        if (keep) known.note(keep)
        return info
      },
      async start(id, options) {
        const info = await right.start(id, options)
        const server = account.server(id)
        const keep = keeping(server.spec)
        if (keep && isConcerned(known.count(keep))) server.address = '10.255.255.1'
        return info
      },
    })
  }

/** Launches with something else what would be refused. */
const yielding = (
  isConcerned: (keep: KeptAddresses) => boolean,
  instead: (keep: KeptAddresses) => KeptAddresses,
): WrongProvider['spoil'] => {
  return () => right => ({
    async launch(spec, ...rest) {
      try {
        return await right.launch(spec, ...rest)
      } catch (error) {
        const keep = keeping(spec)
        if (!keep || !isConcerned(keep) || !isProviderError(error, 'Conflict')) throw error
        return right.launch(withKeep(spec, instead(keep)), ...rest)
      }
    },
  })
}

const another = ({ of }: KeptAddresses): KeptAddresses => ({ of: `${of}-another` })

export const wrongWithAddresses = [
  wrong(
    'what keeps its addresses has the same after a stop',
    astray(launched => launched === 1),
  ),
  wrong('kept addresses go from one that is stopped to the next', () => {
    const known = names()
    return right => ({
      launch(spec, ...rest) {
        const keep = keeping(spec)
        const isNext = keep?.private !== undefined && known.count(keep) > 0
        if (keep) known.note(keep)
        return right.launch(isNext ? withKeep(spec, another(keep)) : spec, ...rest)
      },
    })
  }),
  wrong(
    'kept addresses go back to one that is started again when the next is gone',
    astray(launched => launched > 1),
  ),
  wrong(
    'kept addresses are not taken by a launch from one that runs',
    yielding(keep => keep.private === undefined, another),
  ),
  wrong('kept addresses are not taken by a start from one that runs', ({ account }) => right => ({
    async start(id, options) {
      try {
        return await right.start(id, options)
      } catch (error) {
        const server = account.servers.get(id)
        if (!server || !keeping(server.spec) || !isProviderError(error, 'Conflict')) throw error
        return right.describe(id, options)
      }
    },
  })),
  wrong(
    'an address that another has is refused',
    yielding(
      keep => keep.private !== undefined,
      ({ of }) => ({ of }),
    ),
  ),
  wrong('an address that is free again can be asked for', () => {
    const known = names()
    return right => ({
      async launch(spec, ...rest) {
        const keep = keeping(spec)
        if (keep?.private && known.count(keep) === 0) throw new ProviderError('Conflict', 'no address can be asked for')
        const info = await right.launch(spec, ...rest)
        if (keep) known.note(keep)
        return info
      },
    })
  }),
]
