import { join } from 'node:path'
import * as kit from '@stead/provider-kit'
import { millis, type World } from '@stead/world'
import { Images } from '../images/images.ts'
import { readLogs } from '../logs/reader.ts'
import { findProgram } from '../machine/programs.ts'
import { hostImage } from '../supervisor/furnish.ts'
import type { SupervisorSettings } from '../wire/words.ts'
import { openExecSession } from './exec-session.ts'
import { idOf } from './ids.ts'
import { imageCollection, snapshotCollection } from './images.ts'
import { Line } from './line.ts'
import { watchServers } from './watch.ts'

export interface LocalProviderOptions {
  readonly world: World
  readonly owner: kit.Owner
  readonly settings: SupervisorSettings
  readonly notes: readonly string[]
}

/** What the supervisor can change of what runs: limits, files, what only names it, and, by starting it again, its environment. */
const updatable = {
  resources: 'inPlace',
  tags: 'inPlace',
  files: 'inPlace',
  environment: 'restart',
} as const satisfies NonNullable<kit.Groups['update']>['fields']

/** Services as processes of this machine. The work is done by the supervisor of the region; this asks it. */
export class LocalProvider implements kit.Provider {
  readonly #options: LocalProviderOptions
  readonly #line: Line
  readonly #closing = new AbortController()
  readonly #images: Images
  readonly images: kit.Collection<kit.ImageSpec, kit.ImageInfo>
  readonly snapshot?: kit.Collection<kit.SnapshotSpec, kit.ImageInfo>
  /** Told at every step of every instance, and known from the start. */
  readonly #capabilities: kit.Capabilities

  constructor(options: LocalProviderOptions) {
    const { world, owner, settings } = options
    this.#options = options
    this.#line = new Line(world, settings)
    this.#images = new Images(join(settings.directory, 'images'))
    const usedBy = async (id: string) => (await this.#line.call('list', {})).find(({ image }) => image === id)?.id
    this.images = imageCollection(this.#images, owner, usedBy)
    // Read by the instance's own user, whom only root can become.
    if (settings.level !== 'none' && process.getuid?.() === 0 && findProgram('tar'))
      this.snapshot = snapshotCollection(this.#images, this.images, {
        owner,
        owned: (id, signal) => this.#owned(id, signal),
        capture: async (id, image, signal) => void (await this.#line.call('capture', { id, image }, signal)),
      })
    this.#capabilities = this.#found()
  }

  capabilities(): kit.Capabilities {
    return this.#capabilities
  }

  #found(): kit.Capabilities {
    return {
      sources: ['services'],
      launch: { idempotency: { mode: 'token' } },
      consistency: { describe: millis(0), list: millis(0) },
      groups: {
        reboot: { soft: true },
        update: { fields: this.#updatable },
        images: { idempotency: { mode: 'token' } },
        ...(this.snapshot && { snapshot: { idempotency: { mode: 'token' } } }),
        exec: { tty: findProgram('script') !== undefined && findProgram('stty') !== undefined, signals: true },
        logs: {},
        metrics: {},
        watch: {},
      },
      notes: this.#options.notes,
    }
  }

  /** Files have a place only where there is isolation. */
  get #updatable(): NonNullable<kit.Groups['update']>['fields'] {
    const { files, ...others } = updatable
    return this.#options.settings.level === 'none' ? others : { ...others, files }
  }

  async catalog({ signal }: kit.CallOptions = {}): Promise<kit.Catalog> {
    await this.#line.call('list', {}, signal) // whether the region can be reached
    const brought = await this.#images.all()
    const host: kit.ImageInfo = {
      ...{ id: hostImage, name: 'the programs of this machine, read-only', state: 'ready', tags: {} },
      architecture: process.arch === 'arm64' ? 'aarch64' : 'x86_64',
      ...{ virtualization: null, sizeBytes: null, minDiskBytes: null, gpu: null, os: null },
    }
    return {
      flavors: [],
      images: [host, ...brought.map(({ info }) => info)],
      capacity: null,
    }
  }

  async launch(
    spec: kit.LaunchSpec,
    token: kit.CreateToken,
    { signal }: kit.CreateOptions = {},
  ): Promise<kit.ServerInfo> {
    signal?.throwIfAborted()
    kit.admitLaunch(spec, this.#options.owner, this.capabilities())
    const request = { id: idOf('lp', token), spec, fingerprint: kit.launchFingerprint(spec) }
    return this.#line.call('launch', request, signal)
  }

  async terminate(id: string, { signal }: kit.CallOptions = {}): Promise<void> {
    try {
      await this.#owned(id, signal)
    } catch (error) {
      if (kit.isProviderError(error, 'NotFound')) return
      throw error
    }
    await this.#line.call('terminate', { id }, signal)
  }

  async stop(id: string, { signal, hard = false }: kit.StopOptions = {}): Promise<kit.ServerInfo> {
    await this.#owned(id, signal)
    return this.#line.call('stop', { id, hard }, signal)
  }

  async start(id: string, { signal }: kit.CallOptions = {}): Promise<kit.ServerInfo> {
    await this.#owned(id, signal)
    return this.#line.call('start', { id }, signal)
  }

  async reboot(id: string, { signal, hard = false, service }: kit.RebootOptions = {}): Promise<kit.ServerInfo> {
    await this.#owned(id, signal)
    return this.#line.call('reboot', { id, hard, service }, signal)
  }

  async update(
    id: string,
    from: kit.LaunchSpec,
    to: kit.LaunchSpec,
    { signal }: kit.CallOptions = {},
  ): Promise<kit.ServerInfo> {
    const fields = this.#updatable
    const impossible = [...kit.changedFields(from, to)].filter(field => !(field in fields))
    if (impossible.length > 0)
      throw new kit.ProviderError('Unsupported', `cannot change ${impossible.join(', ')} of ${id}`)
    kit.admitTags(to, this.#options.owner)
    await this.#owned(id, signal)
    const services = Object.entries(kit.servicesOf(to)).map(([name, { resources, env, secretEnv, files }]) => [
      name,
      { resources, env, secretEnv, files },
    ])
    const change = { tags: to.tags, services: Object.fromEntries(services) }
    return this.#line.call('update', { id, change }, signal)
  }

  describe(id: string, { signal }: kit.CallOptions = {}): Promise<kit.ServerInfo> {
    return this.#line.call('describe', { id }, signal)
  }

  async *list(filter: kit.ServerFilter, { signal }: kit.CallOptions = {}): AsyncIterable<readonly kit.ServerInfo[]> {
    kit.checkFilter(filter)
    const servers = await this.#line.call('list', {}, signal)
    yield servers.filter(server => kit.matchesFilter(server, filter))
  }

  async exec(id: string, request: kit.ExecRequest, options: kit.CallOptions = {}): Promise<kit.ExecSession> {
    await this.#owned(id, options.signal)
    return openExecSession(await this.#line.open({ open: 'exec', id, request }), this.#until(options))
  }

  async *logs(id: string, request: kit.LogRequest, options: kit.CallOptions = {}): AsyncIterable<kit.LogLine> {
    const server = await this.describe(id, options)
    if (request.service !== undefined && !server.services[request.service])
      throw new kit.ProviderError('NotFound', `${id} has no service ${request.service}`)
    const { world, settings } = this.#options
    const directory = join(settings.directory, 'instances', id, 'logs')
    yield* readLogs({ world, directory, services: Object.keys(server.services) }, request, this.#until(options))
  }

  async metrics(
    ids: readonly string[],
    { signal }: kit.CallOptions = {},
  ): Promise<ReadonlyMap<string, kit.MetricsSample>> {
    return new Map(await this.#line.call('metrics', { ids }, signal))
  }

  watch(request: kit.WatchRequest, options: kit.CallOptions = {}): AsyncIterable<kit.WatchEvent> {
    return watchServers(this.#line, request, this.#until(options))
  }

  async close(): Promise<void> {
    this.#closing.abort(new kit.ProviderError('Unavailable', 'the provider was closed'))
    await this.#line.close()
  }

  async #owned(id: string, signal: AbortSignal | undefined): Promise<void> {
    kit.assertOwned(await this.#line.call('describe', { id }, signal), this.#options.owner.controlPlane)
  }

  /** For streams: they end when the caller says so, and when the provider is closed. */
  #until({ signal }: kit.CallOptions): AbortSignal {
    return signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal
  }
}
