import { type Appointment, type Duration, millis, type SeededRandom } from '@stead/world'
import { ProviderError } from '../../errors.ts'
import type { LaunchSpec } from '../../launch-spec.ts'
import type { Tags } from '../../tags.ts'
import type { Clockwork } from '../clockwork.ts'
import type { Faults } from '../faults.ts'
import { Inside } from '../inside/inside.ts'
import type { CloudProfile } from '../profile.ts'
import type { Machinery } from '../server/machinery.ts'
import { type ServerView, SimServer } from '../server/server.ts'
import { AddressBook } from './address-book.ts'
import { EventRing } from './events.ts'
import { checkUses, firstDisk, release } from './launching.ts'
import { type CreateRequest, Ledger } from './ledger.ts'
import type { Image, Network, SecurityGroup, Volume } from './resources.ts'
import { Roster } from './roster.ts'
import { oldest, Shelf } from './shelf.ts'

/** What all accounts of a cloud share. */
export interface Premises {
  readonly profile: CloudProfile
  readonly clockwork: Clockwork
  readonly faults: Faults
  readonly random: SeededRandom
  /** Servers in the whole cloud that take up room. */
  used: number
  nextSequence(): number
}

export interface ServerRequest extends CreateRequest {
  readonly spec: LaunchSpec
  readonly tags: Tags
}

/** What one customer of the cloud has. Nothing of it is visible to another. */
export class Account implements Machinery {
  readonly name: string
  readonly servers: Roster<ServerView, SimServer>
  readonly networks: Shelf<ReturnType<Network['view']>, Network>
  readonly securityGroups: Shelf<ReturnType<SecurityGroup['view']>, SecurityGroup>
  readonly volumes: Shelf<ReturnType<Volume['view']>, Volume>
  readonly images: Shelf<ReturnType<Image['view']>, Image>
  readonly snapshots: Shelf<ReturnType<Image['view']>, Image>
  readonly events: EventRing
  readonly #premises: Premises
  readonly #ledger: Ledger
  readonly #insides = new Map<SimServer, Inside>()
  readonly #addresses: AddressBook
  /** Those that take up room. */
  readonly #present = new Set<SimServer>()

  constructor(name: string, premises: Premises) {
    this.name = name
    this.#premises = premises
    const { profile, clockwork, nextSequence } = premises
    this.#ledger = new Ledger(profile.idempotency)
    this.servers = new Roster(oldest(profile))
    this.events = new EventRing(profile.keepEvents)
    this.networks = new Shelf({ prefix: 'net', profile, clockwork, nextSequence })
    this.securityGroups = new Shelf({ prefix: 'sg', profile, clockwork, nextSequence })
    this.volumes = new Shelf({ prefix: 'vol', profile, clockwork, nextSequence })
    this.images = new Shelf({ prefix: 'img', profile, clockwork, nextSequence })
    this.snapshots = new Shelf({ prefix: 'snap', profile, clockwork, nextSequence })
    this.#addresses = new AddressBook({
      ...{ nextSequence, networks: this.networks, patience: profile.stop },
      lost: server => this.changed(server),
    })
  }

  get profile(): CloudProfile {
    return this.#premises.profile
  }

  get clockwork(): Clockwork {
    return this.#premises.clockwork
  }

  get faults(): Faults {
    return this.#premises.faults
  }

  /** Servers in the whole cloud. */
  get cloudUsed(): number {
    return this.#premises.used
  }

  launch(request: ServerRequest): SimServer {
    const earlier = this.#ledger.earlier(request)
    const existing = earlier === undefined ? undefined : this.servers.get(earlier)
    if (existing) return existing
    this.#checkRoom()
    const disk = firstDisk(this, request.spec)
    const use = checkUses(this, request.spec)
    const sequence = this.#premises.nextSequence()
    const id = `i-${sequence.toString(16).padStart(8, '0')}`
    const server = new SimServer({ ...request, id, sequence, disk }, this)
    this.#addresses.give(server)
    use(server)
    this.#ledger.note(request, id)
    this.#present.add(server)
    this.#premises.used++
    this.servers.add(server, this.clockwork.now)
    server.build()
    return server
  }

  /** The server, or NotFound. */
  server(id: string): SimServer {
    const server = this.servers.get(id)
    if (!server) throw new ProviderError('NotFound', `there is no server ${id}`)
    return server
  }

  named(name: string): SimServer | undefined {
    const id = this.#ledger.named(name)
    return id === undefined ? undefined : this.servers.get(id)
  }

  byAddress(address: string): SimServer | undefined {
    return this.#addresses.holder(address)
  }

  /** It is about to be what this says: its addresses become its own, or cease to be. */
  readdressFor(server: SimServer, spec: LaunchSpec): void {
    this.#addresses.follow(server, spec)
  }

  insideOf(server: SimServer): Inside {
    const known = this.#insides.get(server)
    if (known) return known
    const inside = new Inside(server, this.profile.keepLines)
    this.#insides.set(server, inside)
    return inside
  }

  /** Gone without a trace, whatever it was doing. */
  vanish(server: SimServer): void {
    if (server.removed) return
    this.#release(server)
    server.still()
    this.#insides.get(server)?.gone()
    this.#insides.delete(server)
    this.servers.remove(server, this.clockwork.now)
    this.clockwork.later(oldest(this.profile), () => this.servers.forget(server))
    this.events.push(server.id, undefined)
  }

  changed(server: SimServer): void {
    this.servers.changed(server, this.clockwork.now)
    this.events.push(server.id, server.view())
  }

  booted(server: SimServer): void {
    this.#insides.get(server)?.booted(server, this.clockwork.instant)
  }

  down(server: SimServer): void {
    this.#insides.get(server)?.down()
  }

  deleted(server: SimServer): void {
    this.#release(server)
    this.#insides.get(server)?.gone()
    this.clockwork.later(this.profile.keepTerminated, () => this.vanish(server))
  }

  readdress(server: SimServer): void {
    if (this.#addresses.resume(server)) return
    if (!this.faults.strike('addressChange', { call: 'start', server: server.id })) return
    this.#addresses.leave(server)
    this.#addresses.give(server)
  }

  transition(server: SimServer, usual: Duration): Duration {
    const stuck = this.faults.strike('stuck', { server: server.id })
    return millis(this.jittered(usual) * (stuck ? 100 : 1))
  }

  jittered(usual: Duration): Duration {
    const { jitter } = this.profile
    return jitter === 0 ? usual : millis(usual * (1 + jitter * (2 * this.#premises.random.next() - 1)))
  }

  drawFate(server: SimServer): Appointment<unknown> | undefined {
    const [crash, disappear] = [this.faults.drawDelay('crash'), this.faults.drawDelay('disappear')]
    if (crash === undefined && disappear === undefined) return undefined
    const first = Math.min(crash ?? Number.POSITIVE_INFINITY, disappear ?? Number.POSITIVE_INFINITY)
    return this.clockwork.later(millis(first), () => this.strikeDown(server, first === crash ? 'crash' : 'disappear'))
  }

  strikeDown(server: SimServer, fault: 'crash' | 'disappear'): void {
    this.faults.count(fault)
    if (fault === 'crash') server.crash('the system inside died')
    else this.vanish(server)
  }

  #checkRoom(): void {
    const { capacity, quota } = this.profile
    if (this.faults.strike('quota', { call: 'launch' }) || this.#present.size >= (quota ?? Number.POSITIVE_INFINITY))
      throw new ProviderError('Quota', `account ${this.name} may have no more servers`)
    if (
      this.faults.strike('capacity', { call: 'launch' }) ||
      this.#premises.used >= (capacity ?? Number.POSITIVE_INFINITY)
    )
      throw new ProviderError('Capacity', 'there is no room for another server', { retryAfter: this.profile.boot })
  }

  /** What it held is free again. Once only: a server that vanishes may have been deleted before. */
  #release(server: SimServer): void {
    if (!this.#present.delete(server)) return
    this.#addresses.leave(server)
    release(this, server)
    this.#ledger.free(server.name, server.id)
    this.#premises.used--
  }
}
