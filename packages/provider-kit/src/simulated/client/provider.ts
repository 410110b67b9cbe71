import { admitLaunch, admitTags } from '../../admit.ts'
import type { Capabilities, Creating, Groups } from '../../capabilities.ts'
import type { Catalog, ImageInfo } from '../../catalog.ts'
import { isProviderError, ProviderError } from '../../errors.ts'
import { matchesFilter, type ServerFilter } from '../../filter.ts'
import type { Console } from '../../groups/console.ts'
import type { ExecRequest, ExecSession } from '../../groups/exec.ts'
import type { LogLine, LogRequest } from '../../groups/logs.ts'
import { type MetricsSample, unknownUsage } from '../../groups/metrics.ts'
import type { WatchEvent, WatchRequest } from '../../groups/watch.ts'
import { changedFields, rebuilt, signalsOf } from '../../launch-fields.ts'
import type { LaunchSpec } from '../../launch-spec.ts'
import type { CallOptions, CreateOptions, MachineSize, Provider, RebootOptions, StopOptions } from '../../provider.ts'
import type { ServerInfo } from '../../server-info.ts'
import { settled } from '../../settled.ts'
import { assertOwned, createTags, isOwned, type Owner, ownTags, type Tags } from '../../tags.ts'
import { type CreateToken, launchFingerprint } from '../../tokens.ts'
import type { Account } from '../account/account.ts'
import { firstDisk } from '../account/launching.ts'
import { usageOf } from '../account/usage.ts'
import type { ServerView, SimServer } from '../server/server.ts'
import { states } from '../server/states.ts'
import { ShelfClient } from './collections.ts'
import { Creator } from './creator.ts'
import { serverInfo } from './info.ts'
import { ImagesClient, networks, SecurityGroupsClient, snapshots, volumes } from './kinds.ts'
import type { Line } from './line.ts'
import { Reading } from './reading.ts'
import { exec, logs, openConsole, watch } from './streams.ts'

const updatable = {
  tags: 'inPlace',
  resources: 'inPlace',
  healthChecks: 'inPlace',
  environment: 'restart',
  files: 'inPlace',
  process: 'restart',
  addresses: 'inPlace',
} as const satisfies NonNullable<Groups['update']>['fields']

/** The reference implementation of the contract, on a simulated cloud. */
export class SimulatedProvider implements Provider {
  readonly #line: Line
  readonly #owner: Owner
  readonly #reading = new Reading<ServerView>(account => account.servers)
  readonly #creator: Creator<LaunchSpec, ServerView>
  readonly #closing = new AbortController()
  readonly snapshot
  readonly images
  readonly networks
  readonly securityGroups
  readonly volumes

  constructor(line: Line, owner: Owner) {
    this.#line = line
    this.#owner = owner
    this.#creator = new Creator(line, {
      call: 'launch',
      make: (account, request, spec) => account.launch({ ...request, spec, tags: spec.tags }).view(),
      named: (account, name) => account.named(name)?.view(),
      search: (account, token) => this.#reading.byToken(line.cloud, account, token),
    })
    this.snapshot = new ShelfClient(line, owner, snapshots)
    this.images = new ImagesClient(line, owner)
    this.networks = new ShelfClient(line, owner, networks)
    this.securityGroups = new SecurityGroupsClient(line, owner)
    this.volumes = new ShelfClient(line, owner, volumes)
  }

  capabilities(): Capabilities {
    const { idempotency: mode, settle, consistency, keepsAddresses } = this.#line.cloud.profile
    const creating: Creating = { idempotency: mode === 'search' ? { mode, settle } : { mode } }
    return {
      sources: ['machine', 'services'],
      launch: creating,
      consistency,
      groups: {
        reboot: { soft: true },
        resize: { while: 'stopped' },
        rebuild: { idempotency: { mode: 'token' } },
        update: { fields: updatable },
        adopt: {},
        snapshot: creating,
        images: creating,
        networks: creating,
        securityGroups: creating,
        volumes: creating,
        console: {},
        exec: { tty: true, signals: true },
        logs: {},
        metrics: {},
        watch: {},
        ...(keepsAddresses && { addresses: {} }),
      },
      notes: ['simulated: nothing here runs, and all of it is gone when the process ends'],
    }
  }

  catalog({ signal }: CallOptions = {}): Promise<Catalog> {
    return this.#line.call('catalog', catalogOf, signal)
  }

  async launch(spec: LaunchSpec, token: CreateToken, options?: CreateOptions): Promise<ServerInfo> {
    admitLaunch(spec, this.#owner, this.capabilities())
    return serverInfo(await this.#creator.once(spec, token, launchFingerprint(spec), options))
  }

  async terminate(id: string, options: CallOptions = {}): Promise<void> {
    try {
      await this.#owned(id, options)
    } catch (error) {
      if (isProviderError(error, 'NotFound')) return
      throw error
    }
    await this.#line.call('terminate', account => account.servers.get(id)?.terminate(), options.signal)
  }

  stop(id: string, options: StopOptions = {}): Promise<ServerInfo> {
    return this.#act('stop', id, server => server.stop(options.hard ?? false), options)
  }

  start(id: string, options: CallOptions = {}): Promise<ServerInfo> {
    return this.#act('start', id, server => server.start(), options)
  }

  async describe(id: string, options?: CallOptions): Promise<ServerInfo> {
    return serverInfo(await this.#reading.describe(this.#line, id, options))
  }

  async *list(filter: ServerFilter, options?: CallOptions): AsyncIterable<readonly ServerInfo[]> {
    const matches = (view: ServerView) => matchesFilter({ state: states.read(view.state), tags: view.tags }, filter)
    for await (const page of this.#reading.list(this.#line, filter, matches, options)) yield page.map(serverInfo)
  }

  async close(): Promise<void> {
    this.#closing.abort(new ProviderError('Unavailable', 'the provider was closed'))
  }

  reboot(id: string, options: RebootOptions = {}): Promise<ServerInfo> {
    return this.#act('reboot', id, server => server.reboot(), options)
  }

  resize(id: string, size: MachineSize, options: CallOptions = {}): Promise<ServerInfo> {
    const effect = (server: SimServer, account: Account) => {
      const { source } = server.spec
      if (source.type !== 'machine') throw new ProviderError('Unsupported', `${id} is not a machine`)
      if (states.read(server.state) !== 'stopped')
        throw new ProviderError('Conflict', `${id} is ${server.state}: stop it first`)
      const spec = { ...server.spec, source: { ...source, ...size } }
      firstDisk(account, spec)
      server.change(spec, false)
    }
    return this.#act('resize', id, effect, options)
  }

  rebuild(id: string, spec: LaunchSpec, token: CreateToken, options: CreateOptions = {}): Promise<ServerInfo> {
    const effect = (server: SimServer, account: Account) => {
      if (server.rebuiltBy === token) return
      server.rebuild(rebuilt(server.spec, spec), firstDisk(account, spec))
      server.rebuiltBy = token
    }
    return this.#act('rebuild', id, effect, options)
  }

  async update(id: string, from: LaunchSpec, to: LaunchSpec, options: CallOptions = {}): Promise<ServerInfo> {
    const changed = [...changedFields(from, to)]
    const impossible = changed.filter(field => !(field in updatable))
    if (impossible.length > 0) throw new ProviderError('Unsupported', `cannot change ${impossible.join(', ')} of ${id}`)
    admitTags(to, this.#owner)
    const restart = changed.some(field => updatable[field as keyof typeof updatable] === 'restart')
    const effect = (server: SimServer, account: Account) => {
      account.readdressFor(server, to)
      server.tags = { ...pick(server.tags, createTags), ...to.tags }
      server.change(to, restart)
      // Nothing runs here that could handle it: that it came can be read in the log.
      for (const { service, signal } of restart ? [] : signalsOf(from, to))
        account.insideOf(server).logs.print(this.#line.cloud.world.now(), service, 'stdout', `received ${signal}`)
    }
    return this.#act('update', id, effect, options)
  }

  async adopt(id: string, tags: Tags, options: CallOptions = {}): Promise<ServerInfo> {
    admitTags({ name: id, tags }, this.#owner)
    const found = await this.#settled(id, options)
    if (found.tags[ownTags.controlPlane] !== undefined && !isOwned(found.tags, this.#owner.controlPlane))
      assertOwned(found, this.#owner.controlPlane)
    const effect = (account: Account) => {
      const server = account.server(id)
      server.retag({ ...server.tags, ...tags })
      return server.view()
    }
    return serverInfo(await this.#line.call('adopt', effect, options.signal))
  }

  async exec(id: string, request: ExecRequest, options: CallOptions = {}): Promise<ExecSession> {
    await this.#owned(id, options)
    return exec(this.#line, id, request, this.#until(options))
  }

  logs(id: string, request: LogRequest, options: CallOptions = {}): AsyncIterable<LogLine> {
    return logs(this.#line, id, request, this.#until(options))
  }

  watch(request: WatchRequest, options: CallOptions = {}): AsyncIterable<WatchEvent> {
    return watch(this.#line, request, this.#until(options))
  }

  metrics(ids: readonly string[], { signal }: CallOptions = {}): Promise<ReadonlyMap<string, MetricsSample>> {
    const { cloud } = this.#line
    const sample = (account: Account, server: SimServer): MetricsSample =>
      cloud.faults.strike('missingSample', { call: 'metrics', server: server.id })
        ? { at: cloud.world.now(), since: null, total: unknownUsage, services: {} }
        : usageOf(server, account.profile, cloud.world.now())
    const samples = (account: Account) =>
      ids.flatMap(id => account.servers.get(id) ?? []).map(server => [server.id, sample(account, server)] as const)
    return this.#line.call('metrics', account => new Map(samples(account)), signal)
  }

  readonly console: Console = {
    open: async (id, options = {}) => {
      await this.#owned(id, options)
      return openConsole(this.#line, id, { ...options, signal: this.#until(options) })
    },
    output: (id, { scrollbackBytes, signal } = {}) =>
      this.#line.call(
        'console',
        account => account.insideOf(account.server(id)).console.recent(scrollbackBytes),
        signal,
      ),
  }

  /** Believes that it is gone only after old pictures have passed. */
  #settled(id: string, options: CallOptions): Promise<ServerInfo> {
    const { client, cloud } = this.#line
    return settled(client, cloud.profile.consistency.describe, () => this.describe(id, options), options)
  }

  async #owned(id: string, options: CallOptions): Promise<void> {
    assertOwned(await this.#settled(id, options), this.#owner.controlPlane)
  }

  async #act(
    call: string,
    id: string,
    effect: (server: SimServer, account: Account) => void,
    options: CallOptions,
  ): Promise<ServerInfo> {
    await this.#owned(id, options)
    const act = (account: Account) => {
      const server = account.server(id)
      effect(server, account)
      return server.view()
    }
    return serverInfo(await this.#line.call(call, act, options.signal))
  }

  /** For streams: they end when the caller says so, and when the provider is closed. */
  #until({ signal }: CallOptions): AbortSignal {
    return signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal
  }
}

const pick = (tags: Tags, keys: Readonly<Record<string, string>>): Tags =>
  Object.fromEntries(Object.values(keys).flatMap(key => (tags[key] === undefined ? [] : [[key, tags[key]]])))

function catalogOf(account: Account): Catalog {
  const builtIn = account.profile.images.map(
    (id): ImageInfo => ({
      id,
      name: id,
      state: 'ready',
      architecture: 'x86_64',
      virtualization: 'virtualized',
      sizeBytes: 512 * 2 ** 20,
      minDiskBytes: 2 * 2 ** 30,
      gpu: null,
      os: null,
      tags: {},
    }),
  )
  const own = [...account.images.roster, ...account.snapshots.roster].map(image => image.view())
  const { capacity } = account.profile
  return {
    flavors: account.profile.flavors,
    images: [...builtIn, ...own],
    capacity:
      capacity === null
        ? null
        : { servers: { total: capacity, used: account.cloudUsed }, cpuMillis: null, memoryMiB: null },
  }
}
