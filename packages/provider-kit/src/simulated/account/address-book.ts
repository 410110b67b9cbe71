import type { Duration } from '@stead/world'
import { ProviderError } from '../../errors.ts'
import type { KeptAddresses, LaunchSpec } from '../../launch-spec.ts'
import type { SimServer } from '../server/server.ts'
import { formatAddress, parseAddress } from './ipv4.ts'
import { networkOf } from './reach.ts'
import type { Network } from './resources.ts'
import type { Shelf } from './shelf.ts'

const privateBase = parseAddress('10.0.0.0')!
const publicBase = parseAddress('198.18.0.0')! // the range set aside for benchmarks (RFC 2544): nobody's
const publicCount = 131_072

/** An interface that outlives the servers it is plugged into, as a port of OpenStack or an elastic interface of EC2 does. */
interface Kept {
  readonly private: string
  readonly network: string | undefined
  readonly mac: string | undefined
  public: string | undefined
  /** Those that say it is theirs. It goes with the last of them. */
  readonly members: Set<SimServer>
  holder: SimServer | undefined
}

interface BookOptions {
  readonly nextSequence: () => number
  readonly networks: Shelf<ReturnType<Network['view']>, Network>
  /** How long whoever finds addresses taken by one on its way out waits before it asks again. */
  readonly patience: Duration
  /** A server looks different: its addresses are another's now. */
  readonly lost: (server: SimServer) => void
}

const claimOf = ({ source }: LaunchSpec): KeptAddresses | undefined =>
  source.type === 'machine' ? source.keepAddresses : undefined

const isPublic = ({ source }: LaunchSpec): boolean => source.type === 'machine' && source.publicIp === true

const conflict = (why: string, retryAfter?: Duration) =>
  new ProviderError('Conflict', why, retryAfter === undefined ? {} : { retryAfter })

/** Which addresses of an account are whose. Each is of one at a time. */
export class AddressBook {
  readonly #options: BookOptions
  /** Undefined: of servers that are stopped, or not of any now. */
  readonly #taken = new Map<string, SimServer | undefined>()
  readonly #kept = new Map<string, Kept>()

  constructor(options: BookOptions) {
    this.#options = options
  }

  holder(address: string): SimServer | undefined {
    return this.#taken.get(address)
  }

  /** What a new server has: its own, or those that it shares. Refused, nothing is taken. */
  give(server: SimServer): void {
    const claim = claimOf(server.spec)
    if (claim) this.#join(server, claim)
    else {
      server.address = this.#takePrivate(networkOf(server))
      this.#taken.set(server.address, server)
      if (isPublic(server.spec)) server.publicAddress = this.#takePublic(server)
    }
  }

  /** It starts, and has the addresses that it keeps again; answers whether it keeps any. */
  resume(server: SimServer): boolean {
    const kept = this.#keptBy(server)
    if (kept) this.#hold(kept, server)
    return kept !== undefined
  }

  /** Those that it has become its own to keep, or cease to be. */
  follow(server: SimServer, to: LaunchSpec): void {
    const [before, after] = [claimOf(server.spec), claimOf(to)]
    if (before?.of === after?.of) return
    const known = [before, after].flatMap(claim => (claim ? (this.#kept.get(claim.of) ?? []) : []))
    if (known.some(({ members }) => members.size > 1 || !members.has(server)))
      throw conflict(`the addresses of ${server.id} are shared`)
    if (before) {
      this.resume(server)
      this.#kept.delete(before.of)
    }
    if (after) this.#kept.set(after.of, ownOf(server))
  }

  /** What nobody else shares is free again. */
  leave(server: SimServer): void {
    const kept = this.#keptBy(server)
    if (kept) {
      kept.members.delete(server)
      if (kept.holder === server) this.#unplug(kept)
      if (kept.members.size === 0) this.#dissolve(server, kept)
      else if (![...kept.members].some(({ spec }) => isPublic(spec))) this.#freePublic(kept)
    } else {
      this.#free(server.address, networkOf(server))
      this.#free(server.publicAddress)
    }
    server.address = undefined
    server.publicAddress = undefined
  }

  #keptBy(server: SimServer): Kept | undefined {
    const claim = claimOf(server.spec)
    return claim && this.#kept.get(claim.of)
  }

  #join(server: SimServer, claim: KeptAddresses): void {
    const found = this.#kept.get(claim.of)
    if (found) this.#refuseOther(found, server, claim)
    const kept = found ?? this.#reserve(server, claim)
    this.#hold(kept, server)
    kept.members.add(server)
    this.#kept.set(claim.of, kept)
  }

  #refuseOther(kept: Kept, server: SimServer, claim: KeptAddresses): void {
    const isOther =
      kept.network !== networkOf(server) ||
      claim.private?.some(address => address !== kept.private) ||
      claim.public?.some(address => address !== kept.public)
    if (isOther) throw conflict(`${claim.of} has other addresses than those that are asked for`)
  }

  #reserve(server: SimServer, { private: own = [], public: outside = [] }: KeptAddresses): Kept {
    const network = networkOf(server)
    if (own.length > 1 || outside.length > 1)
      throw new ProviderError('InvalidConfig', 'a server of this cloud has one private and one public address')
    const [asked] = outside
    if (asked !== undefined && this.#taken.has(asked)) throw conflict(`${asked} is taken`)
    const address = own[0] === undefined ? this.#takePrivate(network) : this.#takeThis(own[0], network)
    this.#taken.set(address, undefined)
    if (asked !== undefined) this.#taken.set(asked, undefined)
    return { private: address, network, mac: server.mac, public: asked, members: new Set(), holder: undefined }
  }

  /** Only from one that does not run: there is no moment at which two answer to an address. */
  #hold(kept: Kept, server: SimServer): void {
    const { holder } = kept
    if (holder && holder !== server) {
      if (holder.state === 'stopping' || holder.state === 'deleting')
        throw conflict(`${kept.private} is of ${holder.id}, which is ${holder.state}`, this.#options.patience)
      if (holder.state !== 'halted' && holder.state !== 'error')
        throw conflict(`${kept.private} is of ${holder.id}, which is ${holder.state}`)
      this.#unplug(kept)
      this.#options.lost(holder)
    }
    kept.holder = server
    server.address = kept.private
    server.mac = kept.mac
    this.#taken.set(kept.private, server)
    if (!isPublic(server.spec)) return
    kept.public ??= this.#takePublic(server)
    server.publicAddress = kept.public
    this.#taken.set(kept.public, server)
  }

  #unplug(kept: Kept): void {
    const { holder } = kept
    kept.holder = undefined
    this.#taken.set(kept.private, undefined)
    if (kept.public !== undefined) this.#taken.set(kept.public, undefined)
    if (holder) Object.assign(holder, { address: undefined, publicAddress: undefined, mac: undefined })
  }

  #dissolve(last: SimServer, kept: Kept): void {
    this.#free(kept.private, kept.network)
    this.#freePublic(kept)
    this.#kept.delete(claimOf(last.spec)!.of)
  }

  #freePublic(kept: Kept): void {
    this.#free(kept.public)
    kept.public = undefined
  }

  #takePrivate(network: string | undefined): string {
    if (network !== undefined) return this.#options.networks.usable(network).takeAddress()
    for (;;) {
      const address = formatAddress(privateBase + this.#options.nextSequence())
      if (!this.#taken.has(address)) return address
    }
  }

  #takeThis(text: string, network: string | undefined): string {
    const address = parseAddress(text)
    if (address === undefined) throw new ProviderError('InvalidConfig', `${text} is no address`)
    const taken = network === undefined ? text : this.#options.networks.usable(network).takeThis(address)
    if (taken === undefined || (network === undefined && this.#taken.has(text))) throw conflict(`${text} is taken`)
    return taken
  }

  #takePublic(server: SimServer): string {
    for (;;) {
      const address = formatAddress(publicBase + (this.#options.nextSequence() % publicCount))
      if (this.#taken.has(address)) continue
      this.#taken.set(address, server)
      return address
    }
  }

  #free(address: string | undefined, network?: string): void {
    if (address === undefined) return
    this.#taken.delete(address)
    if (network !== undefined) this.#options.networks.roster.get(network)?.freeAddress(parseAddress(address)!)
  }
}

/** What a server has, as something that it keeps. */
const ownOf = (server: SimServer): Kept => ({
  private: server.address!,
  network: networkOf(server),
  mac: server.mac,
  public: server.publicAddress,
  members: new Set([server]),
  holder: server,
})
