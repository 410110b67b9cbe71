import * as kit from '@stead/provider-kit'
import { millis } from '@stead/world'
import { exec } from './groups/exec.ts'
import { imageCollection, imageInfo, shortName } from './groups/images.ts'
import { type LogSource, readLogs } from './groups/logs.ts'
import { sampleOf } from './groups/metrics.ts'
import { networkCollection } from './groups/networks.ts'
import { volumeCollection } from './groups/volumes.ts'
import { watchServers } from './groups/watch.ts'
import { limitsOf } from './server/containers.ts'
import type { Context } from './server/context.ts'
import { foreignInfo } from './server/info.ts'
import { labels, names, tagsIn } from './server/labels.ts'
import { launch } from './server/launch.ts'
import { lookAtAll } from './server/look.ts'
import { Servers } from './server/servers.ts'
import { isUp } from './server/view.ts'

/** Services as containers of an engine. What runs keeps running without us; what is begun is finished by whoever comes next. */
export class DockerProvider implements kit.Provider {
  readonly #context: Context
  readonly #servers: Servers
  readonly #notes: readonly string[]
  readonly #closing = new AbortController()
  readonly images: kit.Collection<kit.ImageSpec, kit.ImageInfo>
  readonly volumes: kit.Collection<kit.VolumeSpec, kit.VolumeInfo>
  readonly networks: kit.Collection<kit.NetworkSpec, kit.NetworkInfo>
  readonly update?: NonNullable<kit.Provider['update']>

  constructor(context: Context, notes: readonly string[]) {
    this.#context = context
    this.#notes = notes
    this.#servers = new Servers(context)
    this.images = imageCollection(context.engine, context.owner)
    this.volumes = volumeCollection(context.engine, context.owner)
    this.networks = networkCollection(context.engine, context.owner, context.guard)
    // Podman cannot change the limits of a container by this API.
    if (context.kind === 'docker') this.update = (id, from, to, options) => this.#update(id, from, to, options)
  }

  capabilities(): kit.Capabilities {
    return {
      sources: ['services'],
      launch: { idempotency: { mode: 'name' } },
      consistency: { describe: millis(0), list: millis(0) },
      groups: {
        reboot: { soft: true },
        ...(this.update && { update: { fields: { resources: 'inPlace' } } }),
        images: { idempotency: { mode: 'name' } },
        volumes: { idempotency: { mode: 'name' } },
        networks: { idempotency: { mode: 'name' } },
        exec: { tty: true, signals: true },
        logs: {},
        metrics: {},
        watch: {},
      },
      notes: [...this.#notes, this.#context.guard.note],
    }
  }

  async catalog({ signal }: kit.CallOptions = {}): Promise<kit.Catalog> {
    const images = await this.#context.engine.images({}, signal)
    const named = images.flatMap(image => (image.RepoTags ?? []).map(tag => imageInfo(image, shortName(tag))))
    return {
      flavors: [],
      images: named.filter(({ id }) => !id.startsWith('stead-inside-') && id !== '<none>:<none>'),
      capacity: null,
    }
  }

  async launch(
    spec: kit.LaunchSpec,
    token: kit.CreateToken,
    { signal }: kit.CreateOptions = {},
  ): Promise<kit.ServerInfo> {
    signal?.throwIfAborted()
    kit.admitLaunch(spec, this.#context.owner, this.capabilities())
    return kit.promptly(launch(this.#context, this.#servers, spec, token), signal)
  }

  async terminate(id: string, { signal }: kit.CallOptions = {}): Promise<void> {
    try {
      await this.#owned(id, signal)
      await kit.promptly(this.#servers.of(id).terminate(), signal)
    } catch (error) {
      if (!kit.isProviderError(error, 'NotFound')) throw error
    }
  }

  async stop(id: string, { signal, hard = false }: kit.StopOptions = {}): Promise<kit.ServerInfo> {
    await this.#owned(id, signal)
    await kit.promptly(this.#servers.of(id).stop(hard), signal)
    return this.describe(id, { signal })
  }

  async start(id: string, { signal }: kit.CallOptions = {}): Promise<kit.ServerInfo> {
    await this.#owned(id, signal)
    await kit.promptly(this.#servers.of(id).start(), signal)
    return this.describe(id, { signal })
  }

  async reboot(id: string, { signal, hard = false, service }: kit.RebootOptions = {}): Promise<kit.ServerInfo> {
    await this.#owned(id, signal)
    await kit.promptly(this.#servers.of(id).reboot(hard, service), signal)
    return this.describe(id, { signal })
  }

  async describe(id: string, { signal }: kit.CallOptions = {}): Promise<kit.ServerInfo> {
    signal?.throwIfAborted()
    if (!/^[a-zA-Z0-9][\w.-]*$/.test(id)) throw new kit.ProviderError('NotFound', `"${id}" is no id of a server`)
    try {
      return await (await this.#servers.find(id, signal)).info(signal)
    } catch (error) {
      const other = kit.isProviderError(error, 'NotFound') && (await this.#context.engine.container(id, signal))
      if (!other || other.Config.Labels?.[labels.part]) throw error
      return foreignInfo(other)
    }
  }

  async *list(filter: kit.ServerFilter, { signal }: kit.CallOptions = {}): AsyncIterable<readonly kit.ServerInfo[]> {
    kit.checkFilter(filter)
    const seen = await lookAtAll(this.#context, signal)
    const ours = seen
      .filter(({ view }) => kit.hasTags(tagsIn(view.labels), filter.tags))
      .map(({ view }) => this.#servers.ofView(view).project(view))
    const foreign = await this.#foreign(filter, signal)
    yield [...ours, ...foreign].filter(server => kit.matchesFilter(server, filter))
  }

  /** Containers that are nothing of ours, but carry the tags that are asked for. */
  async #foreign(filter: kit.ServerFilter, signal: AbortSignal | undefined): Promise<kit.ServerInfo[]> {
    const { engine } = this.#context
    const listed = await engine.containers(filter.tags, signal)
    const others = listed.filter(
      ({ Labels, Names }) => !Labels?.[labels.id] && !Names?.[0]?.startsWith('/stead-inside-'),
    )
    const found = await Promise.all(others.map(({ Id }) => engine.container(Id, signal)))
    return found.flatMap(container => (container ? [foreignInfo(container)] : []))
  }

  async exec(id: string, request: kit.ExecRequest, options: kit.CallOptions = {}): Promise<kit.ExecSession> {
    await this.#owned(id, options.signal)
    const target = await (await this.#servers.find(id)).running(request.service)
    return exec(this.#context.engine, target, request, this.#until(options))
  }

  async *logs(id: string, request: kit.LogRequest, options: kit.CallOptions = {}): AsyncIterable<kit.LogLine> {
    const view = await (await this.#servers.find(id, options.signal)).view(options.signal)
    const { engine, world } = this.#context
    if (request.service !== undefined && !view.shape.services[request.service])
      throw new kit.ProviderError('NotFound', `${id} has no service ${request.service}`)
    const services = request.service === undefined ? Object.keys(view.shape.services) : [request.service]
    const source: LogSource = {
      engine,
      world,
      container: service => names.service(id, service),
      isUp: async service => {
        const container = await engine.container(names.service(id, service), options.signal)
        if (container) return isUp(container)
        const left = await this.#find(id)
        return left && left.state !== 'terminating' && left.state !== 'terminated' ? false : undefined
      },
      changed: signal => this.#servers.feed.next(signal),
    }
    yield* readLogs(source, services, request, this.#until(options))
  }

  async metrics(
    ids: readonly string[],
    { signal }: kit.CallOptions = {},
  ): Promise<ReadonlyMap<string, kit.MetricsSample>> {
    const { engine, world } = this.#context
    const samples = ids.map(async id => {
      try {
        const view = await (await this.#servers.find(id, signal)).view(signal)
        return [[id, await sampleOf(engine, view, world.now(), signal)] as const]
      } catch (error) {
        if (kit.isProviderError(error, 'NotFound')) return []
        throw error
      }
    })
    return new Map((await Promise.all(samples)).flat())
  }

  watch(request: kit.WatchRequest, options: kit.CallOptions = {}): AsyncIterable<kit.WatchEvent> {
    return watchServers(this.#servers, request, this.#until(options))
  }

  async close(): Promise<void> {
    this.#closing.abort(new kit.ProviderError('Unavailable', 'the provider was closed'))
    this.#servers.close()
    this.#context.engine.close()
  }

  async #update(
    id: string,
    from: kit.LaunchSpec,
    to: kit.LaunchSpec,
    { signal }: kit.CallOptions = {},
  ): Promise<kit.ServerInfo> {
    await this.#owned(id, signal)
    const impossible = [...kit.changedFields(from, to)].filter(field => field !== 'resources')
    if (impossible.length > 0)
      throw new kit.ProviderError('Unsupported', `cannot change ${impossible.join(', ')} of ${id}`)
    const { engine } = this.#context
    for (const [name, { resources }] of Object.entries(kit.servicesOf(to)))
      await engine.updateContainer(names.service(id, name), limitsOf(resources))
    return this.describe(id, { signal })
  }

  async #find(id: string): Promise<kit.ServerInfo | undefined> {
    try {
      return await this.describe(id)
    } catch (error) {
      if (kit.isProviderError(error, 'NotFound')) return undefined
      throw error
    }
  }

  async #owned(id: string, signal: AbortSignal | undefined): Promise<void> {
    kit.assertOwned(await this.describe(id, { signal }), this.#context.owner.controlPlane)
  }

  /** For streams: they end when the caller says so, and when the provider is closed. */
  #until({ signal }: kit.CallOptions): AbortSignal {
    return signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal
  }
}
