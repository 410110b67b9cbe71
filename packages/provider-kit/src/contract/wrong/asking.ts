import { millis } from '@stead/world'
import type { ServerFilter } from '../../filter.ts'
import type { CallOptions, CreateOptions, Provider } from '../../provider.ts'
import { type ServerInfo, serverStates } from '../../server-info.ts'
import { serverInfo } from '../../simulated/client/info.ts'
import { isOwned } from '../../tags.ts'
import { type CreateToken, createToken } from '../../tokens.ts'
import { recoded, type Scene, wrong } from './altered.ts'

type Launch = Provider['launch']

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

export const wrongInAsking = [...listing, ...owning, ...failing, ...cancelling, ...many]
