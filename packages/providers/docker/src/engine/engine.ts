import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { isProviderError, ProviderError } from '@stead/provider-kit'
import { millis, type World } from '@stead/world'
import type { Ask, EngineClient } from './client.ts'
import { Gate } from './gate.ts'
import { documentsOf } from './lines.ts'
import { firstFileIn } from './tar.ts'
import type * as words from './words.ts'

/** How much we ask of an engine at once: it slows down long before it refuses. Measured: more than 8 starts are no faster. */
const widths = { work: 8, reads: 24 }

type Signal = AbortSignal | undefined
export type Transport = Pick<EngineClient, 'json' | 'stream' | 'upload' | 'hijack' | 'close'>
export type Labels = Readonly<Record<string, string>>

const quoted = (name: string) => encodeURIComponent(name)
const byLabels = (labels: Labels, besides: object = {}) => {
  const label = Object.entries(labels).map(([key, value]) => (value === '' ? key : `${key}=${value}`))
  return JSON.stringify({ ...(label.length > 0 && { label }), ...besides })
}

const ofPodman = '/v4.0.0/libpod'

const asListed = ({ Created, Names, ...rest }: words.PodmanListedContainer): words.ListedContainer => ({
  ...rest,
  ...{ Names: Names?.map(name => `/${name}`) ?? null, Created: Math.floor(Date.parse(Created) / 1_000) },
})

const asDocker = ({ name, id, created, labels, subnets }: words.PodmanNetwork): words.Network => ({
  ...{ Name: name, Id: id, Created: created, Labels: labels ?? null },
  IPAM: { Config: (subnets ?? []).map(({ subnet }) => ({ Subnet: subnet })) },
})

export interface NewNetwork {
  readonly name: string
  readonly labels: Labels
  readonly subnet: string
  /** Whether who is in it can ask there for the names of others. Only Podman can do without. */
  readonly hasNames?: boolean
}

/** The calls of the Engine API that we use, with as many at once as an engine takes well. */
export class Engine {
  readonly #client: Transport
  readonly #world: World
  readonly #work = new Gate(widths.work)
  readonly #reads = new Gate(widths.reads)
  #isPodman = false

  constructor(client: Transport, world: World) {
    this.#client = client
    this.#world = world
  }

  /**
   * From here on networks are asked for by Podman's own API, and so are lists of containers. When it answers by Docker's,
   * Podman 4 forgets that networks are isolated, and what is started next is not; and it fails to list anything while it
   * has removed one container by half.
   */
  isPodman(): void {
    this.#isPodman = true
  }

  version = (signal?: Signal) => this.#read<words.Version>('/version', { signal })

  // Containers

  async containers(labels: Labels, signal?: Signal, besides: object = {}): Promise<words.ListedContainer[]> {
    const ask = { query: { all: true, filters: byLabels(labels, besides) }, signal }
    if (!this.#isPodman) return this.#read('/containers/json', ask)
    return (await this.#read<words.PodmanListedContainer[]>(`${ofPodman}/containers/json`, ask)).map(asListed)
  }

  /** Undefined when there is none. One that Podman has removed by half is none, though it is listed and to be removed. */
  async container(name: string, signal?: Signal): Promise<words.Container | undefined> {
    try {
      return await absent(this.#read<words.Container>(`/containers/${quoted(name)}/json`, { signal }))
    } catch (error) {
      if (isProviderError(error) && error.message.endsWith('container not known')) return undefined
      throw error
    }
  }

  createContainer = (name: string, body: object) =>
    this.#do<{ Id: string }>('POST', '/containers/create', { query: { name }, body })

  startContainer = (name: string) => this.#do<void>('POST', `/containers/${quoted(name)}/start`)

  stopContainer = (name: string, graceSeconds: number) =>
    // Waiting for a container to end is no work for the engine: it holds nobody up.
    this.#client.json<void>('POST', `/containers/${quoted(name)}/stop`, { query: { t: Math.ceil(graceSeconds) } })

  killContainer = (name: string) => this.#do<void>('POST', `/containers/${quoted(name)}/kill`)

  renameContainer = (name: string, to: string) =>
    this.#do<void>('POST', `/containers/${quoted(name)}/rename`, { query: { name: to } })

  updateContainer = (name: string, body: object) =>
    this.#do<void>('POST', `/containers/${quoted(name)}/update`, { body })

  /** Also when it is gone already, or somebody else is at it. */
  async removeContainer(name: string): Promise<void> {
    try {
      await this.#do('DELETE', `/containers/${quoted(name)}`, { query: { force: true, v: true } })
    } catch (error) {
      if (isProviderError(error, 'NotFound')) return
      if (isProviderError(error, 'Conflict') && /already in progress/.test(error.message)) return
      throw error
    }
  }

  stats = (name: string, signal?: Signal) =>
    absent(
      this.#read<words.Stats>(`/containers/${quoted(name)}/stats`, {
        query: { stream: false, 'one-shot': true },
        signal,
      }),
    )

  logs(name: string, query: Ask['query'], signal: Signal): Promise<IncomingMessage> {
    return this.#client.stream('GET', `/containers/${quoted(name)}/logs`, { query: { ...query }, signal })
  }

  putArchive = (name: string, path: string, archive: Uint8Array) =>
    this.#work.through(() =>
      this.#client.upload('PUT', `/containers/${quoted(name)}/archive`, archive, { query: { path } }),
    )

  /** A file of a container; undefined when it has none there. */
  async readFile(name: string, path: string): Promise<Buffer | undefined> {
    return absent(
      this.#work.through(async () => {
        const answer = await this.#client.stream('GET', `/containers/${quoted(name)}/archive`, { query: { path } })
        const chunks: Buffer[] = []
        for await (const chunk of answer) chunks.push(chunk as Buffer)
        return firstFileIn(Buffer.concat(chunks))
      }),
    )
  }

  // Commands inside

  createExec = (container: string, body: object) =>
    this.#read<{ Id: string }>(`/containers/${quoted(container)}/exec`, { body }, 'POST')

  startExec = (id: string, tty: boolean, signal?: Signal): Promise<Duplex> =>
    this.#client.hijack(`/exec/${quoted(id)}/start`, { body: { Detach: false, Tty: tty }, signal })

  resizeExec = (id: string, { rows, columns }: { rows: number; columns: number }) =>
    this.#read<void>(`/exec/${quoted(id)}/resize`, { query: { h: rows, w: columns } }, 'POST')

  /** How a command ended. The engine may need a moment to know it of one that has closed its output. */
  async exitCode(id: string): Promise<number> {
    for (;;) {
      const { Running, ExitCode } = await this.#read<{ Running: boolean; ExitCode: number | null }>(
        `/exec/${quoted(id)}/json`,
        {},
      )
      if (!Running && ExitCode !== null) return ExitCode
      await this.#world.sleep(millis(5))
    }
  }

  // Networks and volumes

  async networks(labels: Labels, signal?: Signal): Promise<words.Network[]> {
    const query = { filters: byLabels(labels) }
    if (!this.#isPodman) return this.#read<words.Network[]>('/networks', { query, signal })
    return (await this.#read<words.PodmanNetwork[]>(`${ofPodman}/networks/json`, { query, signal })).map(asDocker)
  }

  async network(name: string, signal?: Signal): Promise<words.Network | undefined> {
    if (!this.#isPodman) return absent(this.#read<words.Network>(`/networks/${quoted(name)}`, { signal }))
    const found = await absent(this.#read<words.PodmanNetwork>(`${ofPodman}/networks/${quoted(name)}/json`, { signal }))
    return found && asDocker(found)
  }

  /** One that reaches no other: Podman's do unless they are told not to. */
  async createNetwork({ name, labels, subnet, hasNames = true }: NewNetwork): Promise<void> {
    const ofDocker = { Name: name, CheckDuplicate: true, Labels: labels, IPAM: { Config: [{ Subnet: subnet }] } }
    const ofLibpod = { name, labels, subnets: [{ subnet }], options: { isolate: 'true' }, dns_enabled: hasNames }
    if (!this.#isPodman) await this.#do('POST', '/networks/create', { body: { ...ofDocker, Driver: 'bridge' } })
    else await this.#do('POST', `${ofPodman}/networks/create`, { body: { ...ofLibpod, driver: 'bridge' } })
  }

  /** Also when it is connected already. */
  async connectNetwork(network: string, container: string, aliases: readonly string[]): Promise<void> {
    const body = { Container: container, EndpointConfig: { Aliases: aliases } }
    try {
      await this.#do('POST', `/networks/${quoted(network)}/connect`, { body })
    } catch (error) {
      if (!isProviderError(error) || !/already (exists in|connected to|attached to)/i.test(error.message)) throw error
    }
  }

  removeNetwork = (name: string) => absent(this.#do<void>('DELETE', `/networks/${quoted(name)}`))

  async volumes(labels: Labels, signal?: Signal, besides: object = {}): Promise<words.Volume[]> {
    const query = { filters: byLabels(labels, besides) }
    return (await this.#read<{ Volumes: words.Volume[] | null }>('/volumes', { query, signal })).Volumes ?? []
  }

  volume = (name: string, signal?: Signal) => absent(this.#read<words.Volume>(`/volumes/${quoted(name)}`, { signal }))

  /**
   * The one that is there, when there is one of this name. Docker makes the directory of a volume before it writes down its
   * labels: when it is killed in between, it takes that directory for a volume without any, and it stays so.
   */
  async createVolume(name: string, labels: Labels): Promise<words.Volume> {
    const create = () => this.#do<words.Volume>('POST', '/volumes/create', { body: { Name: name, Labels: labels } })
    const made = await create().catch(error => {
      // Of two who make it at the same time Podman refuses one, who finds it the next time.
      if (isProviderError(error, 'Conflict')) return create()
      throw error
    })
    if (Object.keys(made.Labels ?? {}).length > 0 || Object.keys(labels).length === 0) return made
    try {
      await this.removeVolume(name)
    } catch (error) {
      // Somebody has it already, with what is in it.
      if (isProviderError(error, 'Conflict')) return made
      throw error
    }
    return create()
  }

  removeVolume = (name: string) => absent(this.#do<void>('DELETE', `/volumes/${quoted(name)}`))

  // Images

  /** Podman's list fails when an image goes while it is made: then it is made again. */
  images = async (labels: Labels, signal?: Signal, tries = 5): Promise<words.ListedImage[]> => {
    const query = { filters: byLabels(labels) }
    try {
      return await this.#read<words.ListedImage[]>('/images/json', { query, signal })
    } catch (error) {
      if (tries === 1 || !isProviderError(error, 'NotFound')) throw error
      return this.images(labels, signal, tries - 1)
    }
  }

  image = (reference: string, signal?: Signal) =>
    absent(this.#read<words.Image>(`/images/${reference}/json`, { signal }))

  removeImage = (reference: string) => absent(this.#do<void>('DELETE', `/images/${reference}`))

  /** Makes an image of an archive of a root file system. */
  async importImage(
    repository: string,
    archive: AsyncIterable<Uint8Array> | Uint8Array,
    changes: readonly string[] = [],
    architecture?: string,
  ): Promise<void> {
    const query = {
      ...{ fromSrc: '-', repo: repository },
      ...(changes.length > 0 && { changes }),
      ...(architecture !== undefined && { platform: `linux/${architecture}` }),
    }
    const said = await this.#work.through(() => this.#client.upload('POST', '/images/create', archive, { query }))
    failIfSaid(said.split('\n').flatMap(line => (line.trim() ? [JSON.parse(line) as Progress] : [])))
  }

  /** What the registry has under this name; undefined for an engine that cannot ask. */
  distribution = (reference: string, headers: Labels, signal?: Signal) =>
    this.#client.json<unknown>('GET', `/distribution/${reference}/json`, { headers, signal })

  async *pull(query: Ask['query'], headers: Labels, signal?: Signal): AsyncGenerator<Progress> {
    const answer = await this.#client.stream('POST', '/images/create', { query: { ...query }, headers, signal })
    for await (const progress of documentsOf<Progress>(answer)) {
      failIfSaid([progress])
      yield progress
    }
  }

  /** What happens, from now on. */
  async events(signal: AbortSignal): Promise<AsyncIterable<words.EngineEvent>> {
    const filters = JSON.stringify({ type: ['container'] })
    return documentsOf(await this.#client.stream('GET', '/events', { query: { filters }, signal }))
  }

  /** What happened to a container from one moment to another by the engine's clock, which may still be to come. */
  async *eventsOf(container: string, between: { since: number; until: number }): AsyncGenerator<words.EngineEvent> {
    const [since, until] = [between.since, between.until].map(millis => (millis / 1_000).toFixed(3))
    const filters = JSON.stringify({ type: ['container'], container: [container] })
    yield* documentsOf<words.EngineEvent>(
      await this.#client.stream('GET', '/events', { query: { filters, since, until } }),
    )
  }

  close(): void {
    this.#client.close()
  }

  #read<T>(path: string, ask: Ask, method: 'GET' | 'POST' = 'GET'): Promise<T> {
    return this.#reads.through(() => this.#client.json<T>(method, path, ask), ask.signal)
  }

  #do<T>(method: 'POST' | 'DELETE', path: string, ask: Ask = {}): Promise<T> {
    return this.#work.through(() => this.#client.json<T>(method, path, ask))
  }
}

export interface Progress {
  readonly status?: string
  readonly id?: string
  readonly error?: string
  readonly progressDetail?: { readonly current?: number; readonly total?: number }
}

/** An engine that has begun to answer can no longer answer with a failure: it says it along the way. */
function failIfSaid(all: readonly Progress[]): void {
  const error = all.find(progress => progress.error)?.error
  if (error === undefined) return
  const isWrong = /not found|manifest unknown|no such|denied|unauthorized|does not exist|invalid|unsupported/i.test(
    error,
  )
  throw new ProviderError(isWrong ? 'InvalidConfig' : 'Unavailable', error)
}

/** Undefined instead of `NotFound`. */
async function absent<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (isProviderError(error, 'NotFound')) return undefined
    throw error
  }
}
