import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type LaunchSpec, type MetricsSample, ProviderError, type ServerInfo, servicesOf } from '@stead/provider-kit'
import { isId, type KeptImage } from '../images/images.ts'
import type { PortState } from '../network/forwarder.ts'
import type { Ids } from '../sandbox/paths.ts'
import { admit } from './admit.ts'
import { capture } from './capture.ts'
import type { Context } from './context.ts'
import { syncAll } from './durable.ts'
import type { Feed } from './feed.ts'
import { Instance } from './instance.ts'
import { launchPaths, readKept, writeLaunch } from './keeper.ts'
import { sampleOf } from './metrics.ts'
import { openSpec, sealSpec } from './sealing.ts'
import { initialService, type KeptLaunch, type KeptState } from './state.ts'

/** Above every range that distributions and container engines give out, and below what 32 bits can say with a sign. */
const firstUid = 0x70000000
const uidBits = 0x0fffffff
/** Where ports that nobody chose begin, inside. */
const firstPort = 20_000

/** Everything that was launched in a region. */
export class Region {
  readonly #context: Context
  readonly #feed: Feed
  readonly #instances = new Map<string, Instance>()

  constructor(context: Context, feed: Feed) {
    this.#context = context
    this.#feed = feed
  }

  /** Finds again what a supervisor before us left, running or not. */
  resume(): void {
    const { place, seal } = this.#context
    for (const name of readdirSync(place.instances))
      if (/^\.(draft|gone)-/.test(name)) rmSync(join(place.instances, name), { recursive: true, force: true })
    for (const id of place.ids()) {
      const kept = readKept(place.instance(id))
      // Nobody was ever told of one that is not whole.
      if (kept) this.#add(id, kept.launch, openSpec(kept.launch, seal), kept.state).resume()
      else rmSync(place.instance(id), { recursive: true })
    }
  }

  /** Nothing runs here, or is about to. */
  get isIdle(): boolean {
    return [...this.#instances.values()].every(instance => instance.isAtRest)
  }

  list(): ServerInfo[] {
    return [...this.#instances.values()].map(instance => instance.info())
  }

  get(id: string): Instance {
    const instance = this.#instances.get(id)
    if (!instance) throw new ProviderError('NotFound', `there is no server ${JSON.stringify(id)}`)
    return instance
  }

  async launch(id: string, spec: LaunchSpec, fingerprint: string): Promise<ServerInfo> {
    const earlier = this.#sameAs(id, fingerprint)
    if (earlier) return earlier
    admit(spec, this.#context)
    const ports = await this.#choosePorts(spec)
    // While ports were chosen somebody else may have come with the same token.
    return this.#sameAs(id, fingerprint) ?? this.#make(id, spec, fingerprint, ports)
  }

  metrics(ids: readonly string[]): [string, MetricsSample][] {
    const found = ids.flatMap(id => this.#instances.get(id) ?? [])
    return found.map(instance => [instance.id, sampleOf(instance, this.#context.world.now())])
  }

  /** Makes an image of what the main service of an instance has on its disk now. */
  capture(id: string, image: KeptImage): Promise<void> {
    return capture(this.#context, this.get(id), image)
  }

  /** Resolves when it will happen, whatever happens to us. */
  async terminate(id: string): Promise<void> {
    const instance = this.#instances.get(id)
    instance?.terminate()
    await instance?.synced
  }

  leave(): void {
    for (const instance of this.#instances.values()) instance.leave()
  }

  #sameAs(id: string, fingerprint: string): ServerInfo | undefined {
    const earlier = this.#instances.get(id)
    if (!earlier && this.#context.ended.has(id))
      throw new ProviderError('Conflict', `the token of ${id} was used, and what it launched was terminated`)
    if (!earlier) return undefined
    if (earlier.kept.fingerprint === fingerprint && earlier.state.power !== 'gone') return earlier.info()
    throw new ProviderError('Conflict', `the token of ${id} was used for something else`)
  }

  /** All of it is there, or nothing is: made aside, and moved to its place. */
  async #make(id: string, spec: LaunchSpec, fingerprint: string, ports: readonly PortState[]): Promise<ServerInfo> {
    const { place, world, seal } = this.#context
    if (!isId(id)) throw new ProviderError('InvalidConfig', `${JSON.stringify(id)} is no id of a server`)
    const now = world.now()
    const isOn = spec.power === 'on'
    const outer = this.#chooseIds(id)
    const state: KeptState = {
      power: spec.power,
      phase: isOn ? 'pending' : 'stopped',
      startedAt: isOn ? now : null,
      services: Object.fromEntries(Object.keys(servicesOf(spec)).map(name => [name, initialService])),
      ports,
    }
    const kept: KeptLaunch = {
      ...sealSpec(spec, seal),
      ...{ fingerprint, launchedAt: now, initial: state },
      ...(outer && { outer }),
    }
    const draft = join(place.instances, `.draft-${id}`)
    for (const part of ['', 'disks', ...(hasVolumes(spec) ? ['volumes'] : [])])
      mkdirSync(join(draft, part), { mode: 0o711 })
    for (const part of ['logs', 'run']) mkdirSync(join(draft, part), { mode: 0o700 })
    writeLaunch(draft, kept)
    renameSync(draft, place.instance(id))
    const instance = this.#add(id, kept, spec, state)
    this.#publish(instance, false)
    // Nobody is answered before it is on the disk. Meanwhile it may start: what makes us forget it ends its processes, too.
    instance.resume()
    await syncAll([...launchPaths(place.instance(id)), place.instances])
    return instance.info()
  }

  #add(id: string, kept: KeptLaunch, spec: LaunchSpec, state: KeptState): Instance {
    const instance = new Instance({
      context: this.#context,
      id,
      kept,
      spec,
      state,
      onChange: (changed, gone) => this.#publish(changed, gone),
    })
    this.#instances.set(id, instance)
    return instance
  }

  #publish(instance: Instance, gone: boolean): void {
    if (gone) this.#instances.delete(instance.id)
    this.#feed.publish(instance.id, gone ? undefined : instance.info())
  }

  /** Its own user for the machine; undefined when we cannot make it anybody else. Made of its id, so that few are looked at. */
  #chooseIds(id: string): Ids | undefined {
    if (!this.#context.isRoot || this.#context.settings.level === 'none') return undefined
    const taken = new Set([...this.#instances.values()].map(({ kept }) => kept.outer?.uid))
    let number = createHash('sha256').update(id).digest().readUInt32BE() & uidBits
    while (taken.has(firstUid + number)) number = (number + 1) & uidBits
    return { uid: firstUid + number, gid: firstUid + number }
  }

  async #choosePorts(spec: LaunchSpec): Promise<PortState[]> {
    const declared = Object.entries(servicesOf(spec)).flatMap(([service, { ports }]) =>
      ports.map(port => ({ service, ...port })),
    )
    const taken = new Set(declared.flatMap(({ port }) => port ?? []))
    const ports: PortState[] = []
    for (const { service, name, protocol, port, public: isPublic = false } of declared) {
      let inner = port
      if (inner === undefined) {
        inner = this.#context.settings.level === 'none' ? await freePort(this.#context.settings.address) : firstPort
        while (taken.has(inner)) inner++
        taken.add(inner)
      }
      ports.push({ service, name, protocol, public: isPublic, inner, outer: null })
    }
    return ports
  }
}

const hasVolumes = (spec: LaunchSpec): boolean =>
  Object.values(servicesOf(spec)).some(({ volumes }) => volumes.length > 0)

function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen({ host, port: 0 }, () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
