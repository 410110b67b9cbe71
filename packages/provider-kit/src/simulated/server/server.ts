import { type Appointment, type Duration, type Instant, millis } from '@stead/world'
import { ProviderError } from '../../errors.ts'
import type { LaunchSpec } from '../../launch-spec.ts'
import type { Endpoint, ServiceInfo } from '../../server-info.ts'
import type { Tags } from '../../tags.ts'
import type { CreateToken } from '../../tokens.ts'
import { Entry } from '../account/roster.ts'
import type { Disk } from '../inside/disk.ts'
import type { Machinery } from './machinery.ts'
import { failedInit, mainEnd, type Program, serviceInfos } from './services.ts'
import type { CloudState } from './states.ts'

/** A server as this cloud shows it, in its own words. */
export interface ServerView {
  readonly id: string
  readonly name: string
  readonly state: CloudState
  readonly reason: string | undefined
  readonly launchedAt: Instant
  readonly flavor: string | undefined
  readonly image: string | undefined
  readonly address: string | undefined
  readonly publicAddress: string | undefined
  readonly mac: string | undefined
  readonly services: Readonly<Record<string, ServiceInfo>>
  readonly endpoints: readonly Endpoint[]
  readonly tags: Tags
}

export interface ServerParts {
  readonly id: string
  readonly sequence: number
  readonly name: string
  readonly spec: LaunchSpec
  readonly tags: Tags
  readonly disk: Disk
}

/** One server and its life. It changes by calls and by its own clockwork, and tells the cloud each time. */
export class SimServer extends Entry<ServerView> {
  readonly name: string
  readonly launchedAt: Instant
  spec: LaunchSpec
  disk: Disk
  state: CloudState = 'building'
  reason: string | undefined
  address: string | undefined
  publicAddress: string | undefined
  /** Of the interface that it has; none while another has the one with its addresses. */
  mac: string | undefined
  /** Moves with every boot: what was started before is not running any more. */
  boots = 0
  bootedAt: Instant | undefined
  rebuiltBy: CreateToken | undefined
  readonly #machinery: Machinery
  #next: Appointment<unknown> | undefined
  #fate: Appointment<unknown> | undefined

  constructor(parts: ServerParts, machinery: Machinery) {
    super(parts.id, parts.sequence, parts.tags)
    this.name = parts.name
    this.spec = parts.spec
    this.disk = parts.disk
    this.mac = macOf(parts.sequence)
    this.#machinery = machinery
    this.launchedAt = machinery.clockwork.instant
  }

  /** From nothing to what its spec says. */
  build(): void {
    const { profile } = this.#machinery
    this.#become('building')
    this.#then(profile.boot, this.spec.power === 'on' ? () => this.#boot() : () => this.#become('halted'))
  }

  start(): void {
    this.#alive('started')
    if (this.state === 'active' || this.state === 'starting' || this.state === 'building') return
    if (this.state === 'stopping') throw this.#notYet('started')
    this.#machinery.readdress(this)
    this.#become('starting')
    this.#then(this.#machinery.profile.boot, () => this.#boot())
  }

  stop(hard: boolean): void {
    this.#alive('stopped')
    if (this.state === 'halted' || this.state === 'error') return
    if (this.state === 'stopping' && !hard) return
    if (this.#machinery.faults.strike('stopIgnored', { server: this.id })) return
    if (hard) this.#become('halted', 'power cut')
    else {
      this.#become('stopping', 'asked to stop')
      this.#then(this.#machinery.profile.stop, () => this.#become('halted', 'stopped'))
    }
  }

  reboot(): void {
    this.#alive('rebooted')
    if (this.state !== 'active') throw new ProviderError('Conflict', `${this.id} is ${this.state}, not running`)
    this.#become('starting', 'rebooting')
    this.#then(this.#machinery.profile.boot, () => this.#boot())
  }

  terminate(): void {
    if (this.state === 'deleting' || this.state === 'deleted') return
    this.#become('deleting')
    this.#then(this.#machinery.profile.terminate, () => this.#delete())
  }

  /** It dies by itself: the object and its disk are still there. */
  crash(reason: string): void {
    if (this.state === 'active') this.#become('halted', reason)
  }

  /** The same server on a fresh disk. */
  rebuild(spec: LaunchSpec, disk: Disk): void {
    this.#alive('rebuilt')
    this.spec = spec
    this.disk = disk
    this.build()
  }

  /** Takes a new spec, restarting if that is what it costs. */
  change(spec: LaunchSpec, restart: boolean): void {
    this.#alive('changed')
    this.spec = spec
    if (restart && this.state === 'active') this.reboot()
    else this.#machinery.changed(this)
  }

  retag(tags: Tags): void {
    this.tags = tags
    this.#machinery.changed(this)
  }

  /** Off the clockwork: nothing more happens to it. */
  still(): void {
    this.#machinery.clockwork.cancel(this.#next)
    this.#machinery.clockwork.cancel(this.#fate)
  }

  #boot(): void {
    if (this.#machinery.faults.strike('bootFailure', { server: this.id })) {
      this.#become('error', 'boot failed: no answer from the system inside')
      return
    }
    this.boots++
    this.bootedAt = this.#machinery.clockwork.instant
    const { source } = this.spec
    const failed = source.type === 'services' ? failedInit(source) : undefined
    if (failed) this.#become('halted', `init ${failed[0]} exited with ${failed[1]}`)
    else this.#run(source.type === 'services' ? mainEnd(source) : undefined)
  }

  #run(end: Program | undefined): void {
    this.#become('active')
    this.#machinery.booted(this)
    const halt = () => this.#become('halted', `main exited with ${end?.exitCode}`)
    if (end) this.#next = this.#machinery.clockwork.later(millis(end.endsAfter), halt)
    this.#fate = this.#machinery.drawFate(this)
  }

  #delete(): void {
    this.#become('deleted')
    this.#machinery.deleted(this)
  }

  #become(state: CloudState, reason?: string): void {
    this.still()
    const wasAlive = this.state === 'active'
    this.state = state
    this.reason = reason
    this.#machinery.changed(this)
    if (wasAlive && state !== 'active') this.#machinery.down(this)
  }

  #then(delay: Duration, happen: () => void): void {
    this.#next = this.#machinery.clockwork.later(this.#machinery.transition(this, delay), happen)
  }

  #alive(what: string): void {
    if (this.state === 'deleting' || this.state === 'deleted')
      throw new ProviderError('Conflict', `${this.id} is ${this.state}: it cannot be ${what}`)
  }

  #notYet(what: string): ProviderError {
    const retryAfter = millis(Math.max(1, (this.#next?.due ?? 0) - this.#machinery.clockwork.now))
    return new ProviderError('Conflict', `${this.id} is ${this.state}: it cannot be ${what} yet`, { retryAfter })
  }

  override view(): ServerView {
    const { source } = this.spec
    // What is kept is its own while it is stopped, too.
    const keeps = source.type === 'machine' && source.keepAddresses !== undefined
    const on = keeps || this.state === 'active' || this.state === 'starting' || this.state === 'building'
    const sinceBoot = this.bootedAt === undefined ? undefined : this.#machinery.clockwork.instant - this.bootedAt
    return {
      id: this.id,
      name: this.name,
      state: this.state,
      reason: this.reason,
      launchedAt: this.launchedAt,
      flavor: source.type === 'machine' ? source.flavor : undefined,
      image: source.type === 'machine' ? source.image : undefined,
      address: on ? this.address : undefined,
      publicAddress: on ? this.publicAddress : undefined,
      mac: this.mac,
      services: source.type === 'services' ? serviceInfos(source, this.state, sinceBoot) : {},
      endpoints: this.#endpoints(),
      tags: this.tags,
    }
  }

  #endpoints(): Endpoint[] {
    const { source } = this.spec
    if (source.type !== 'services' || this.state !== 'active' || this.address === undefined) return []
    const host = this.address
    return Object.entries(source.services).flatMap(([service, { ports }]) =>
      ports.map((port, index) => ({
        service,
        name: port.name,
        protocol: port.protocol,
        host,
        port: port.port ?? 20_000 + ((this.sequence + index) % 40_000),
        public: port.public ?? false,
      })),
    )
  }
}

/** Locally administered, and made of the sequence number, so no two are alike. */
function macOf(sequence: number): string {
  const hex = sequence.toString(16).padStart(10, '0').slice(-10)
  return `02:${hex.match(/../g)!.join(':')}`
}
