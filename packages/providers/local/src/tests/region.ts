import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import {
  createToken,
  type LaunchSource,
  launchToken,
  type Owner,
  type Provider,
  type ServerInfo,
  type ServerState,
  type ServiceLaunch,
  serverTags,
  servicesOf,
  type Tags,
} from '@stead/provider-kit'
import { plainService } from '@stead/provider-kit/contract'
import { newId, realWorld as world } from '@stead/world'
import { idOf } from '../client/ids.ts'
import { Line } from '../client/line.ts'
import { local } from '../definition.ts'
import type { Isolation } from '../machine/levels.ts'
import { isAlive } from '../machine/processes.ts'
import { cgroupName, files } from '../supervisor/files.ts'
import { readKept } from '../supervisor/keeper.ts'
import type { KeptState } from '../supervisor/state.ts'
import type { SupervisorSettings } from '../wire/words.ts'

export const owner: Owner = { controlPlane: 'cp-test', region: 'reg-test' }

export const shell = (script: string, besides: Partial<ServiceLaunch> = {}): ServiceLaunch =>
  plainService('host', { command: ['sh', '-c', script], stopGraceSeconds: 2, ...besides })

export const services = (services: Readonly<Record<string, ServiceLaunch>>): LaunchSource => ({
  type: 'services',
  kind: 'deployment',
  services,
})

export const sleeper = services({ main: plainService('host', { command: ['sleep', '600'], stopGraceSeconds: 2 }) })

export interface RegionOptions {
  readonly isolation?: Isolation | 'best'
  readonly directory?: string
  readonly forbidden?: { readonly paths: readonly string[]; readonly ports: readonly number[] }
  readonly pidsLimit?: number
}

/** A region of its own for one test, with hands behind its back. Nothing of it is left when it is closed. */
export class TestRegion {
  readonly directory: string
  readonly provider: Provider
  readonly #options: RegionOptions

  static async open(options: RegionOptions = {}): Promise<TestRegion> {
    const directory = options.directory ?? mkdtempSync(join(tmpdir(), 'stead-local-'))
    return new TestRegion(directory, await connect(directory, options), options)
  }

  constructor(directory: string, provider: Provider, options: RegionOptions) {
    this.directory = directory
    this.provider = provider
    this.#options = options
  }

  /** Another client of it. */
  connect(directory = this.directory): Promise<Provider> {
    return connect(directory, this.#options)
  }

  /** A line to its supervisor that asks nobody whose things are touched. */
  line(): Line {
    const settings = JSON.parse(readFileSync(join(this.directory, files.settings), 'utf8')) as SupervisorSettings
    return new Line(world, settings)
  }

  async withLine<T>(use: (line: Line) => Promise<T>): Promise<T> {
    const line = this.line()
    try {
      return await use(line)
    } finally {
      await line.close()
    }
  }

  /** Launches behind the provider's back, with just these tags. */
  async plant(tags: Tags, source = sleeper): Promise<string> {
    await this.provider.catalog() // so that there is a supervisor
    const id = idOf('lp', createToken(newId(world, 'planted')))
    const spec = { name: 'planted', source, power: 'on' as const, tags }
    await this.withLine(line => line.call('launch', { id, spec, fingerprint: id }))
    return id
  }

  launch(source: LaunchSource, provider = this.provider): Promise<ServerInfo> {
    const serverId = newId(world, 'srv')
    const spec = { name: 'test', source, power: 'on' as const, tags: serverTags(owner, serverId) }
    return provider.launch(spec, launchToken(serverId, 1))
  }

  async running(source: LaunchSource): Promise<ServerInfo> {
    return this.until((await this.launch(source)).id, 'running')
  }

  until(id: string, state: ServerState, provider = this.provider): Promise<ServerInfo> {
    return this.eventually(`${id} to be ${state}`, async () => {
      const info = await provider.describe(id)
      return info.state === state ? info : undefined
    })
  }

  async eventually<T>(what: string, ask: () => T | undefined | Promise<T | undefined>, millis = 15_000): Promise<T> {
    const start = performance.now()
    for (;;) {
      const answer = await ask()
      if (answer !== undefined && answer !== false) return answer
      if (performance.now() - start > millis) throw new Error(`waited in vain for ${what}`)
      await new Promise(resolve => setTimeout(resolve, 10))
    }
  }

  /** What a service printed, once it says this. */
  async printed(id: string, wanted: string | RegExp, service = 'main'): Promise<string> {
    return this.eventually(`${wanted} from ${service} of ${id}`, async () => {
      let text = ''
      for await (const { line } of this.provider.logs!(id, { service })) text += `${line}\n`
      return text.match(wanted) ? text : undefined
    })
  }

  /** Runs a command inside, and answers what it printed and how it ended. */
  async exec(id: string, command: readonly string[], service?: string): Promise<{ text: string; code: number }> {
    const session = await this.provider.exec!(id, { command, ...(service && { service }) })
    let text = ''
    for await (const { data } of session.output) text += Buffer.from(data).toString()
    return { text, code: (await session.exit).code }
  }

  state(id: string): KeptState {
    return this.#kept(id).state
  }

  keptResources(id: string, service = 'main'): ServiceLaunch['resources'] {
    return servicesOf(this.#kept(id).launch.spec)[service]!.resources
  }

  #kept(id: string) {
    const kept = readKept(join(this.directory, 'instances', id))
    if (!kept) throw new Error(`nothing is kept of ${id}`)
    return kept
  }

  disk(id: string, ...parts: readonly string[]): string {
    return join(this.directory, 'instances', id, 'disks', ...parts)
  }

  instances(): string[] {
    return readdirSync(join(this.directory, 'instances')).filter(name => name !== '.pipes')
  }

  images(): string[] {
    return readdirSync(join(this.directory, 'images'))
  }

  cgroups(): string[] {
    const name = cgroupName(this.directory)
    return [`/sys/fs/cgroup/${name}/*/`, `/sys/fs/cgroup/*/${name}/*/`].flatMap(pattern => globSync(pattern))
  }

  /** A limit of its group, as the kernel has it: bytes, or microseconds of 100 ms; `Infinity` where there is none. */
  limit(id: string, controller: 'memory' | 'cpu'): number {
    const limit = readFileSync(this.#limitFile(id, controller), 'utf8').split(/\s/)[0]!
    return ['max', '-1'].includes(limit) || Number(limit) >= 2 ** 60 ? Number.POSITIVE_INFINITY : Number(limit)
  }

  /** Behind the back of its supervisor. */
  setMemoryLimit(id: string, bytes: number): void {
    writeFileSync(this.#limitFile(id, 'memory'), String(bytes))
  }

  #limitFile(id: string, controller: 'memory' | 'cpu'): string {
    const files = { memory: ['memory.limit_in_bytes', 'memory.max'], cpu: ['cpu.cfs_quota_us', 'cpu.max'] }[controller]
    const groups = this.cgroups().filter(path => basename(path) === `${id}.main`)
    const found = groups.flatMap(path => files.map(file => join(path, file))).find(path => existsSync(path))
    if (!found) throw new Error(`${id} has no group that limits ${controller}`)
    return found
  }

  async supervisor(): Promise<number> {
    return (await this.withLine(line => line.call('hello', { protocol: 0, settings: '' }))).pid
  }

  async close(): Promise<void> {
    await this.provider.close()
    if (existsSync(join(this.directory, files.settings))) await this.#clear()
    rmSync(this.directory, { recursive: true, force: true })
  }

  async #clear(): Promise<void> {
    const pid = await this.withLine(async line => {
      for (const { id } of await line.call('list', {})) await line.call('terminate', { id })
      await this.eventually('everything to go', async () => (await line.call('list', {})).length === 0 || undefined)
      const { pid } = await line.call('hello', { protocol: 0, settings: '' })
      await line.call('retire', {}).catch(() => null)
      return pid
    })
    await this.eventually('the supervisor to end', () => !existsSync(`/proc/${pid}`) || undefined)
  }
}

function connect(directory: string, options: RegionOptions): Promise<Provider> {
  const { isolation = 'full', forbidden = { paths: [], ports: [] }, pidsLimit } = options
  const configuration = {
    directory,
    isolation,
    forbidden: { paths: [...forbidden.paths], ports: [...forbidden.ports] },
    ...(pidsLimit !== undefined && { pidsLimit }),
  }
  return local.connect({ configuration, credentials: {}, owner, world })
}

/** The first process of a service, as the machine sees it. */
export function processOf(region: TestRegion, id: string, service = 'main'): number {
  const run = region.state(id).services[service]?.run
  if (!run?.first || !isAlive(run.first)) throw new Error(`${service} of ${id} does not run`)
  return run.first.pid
}
