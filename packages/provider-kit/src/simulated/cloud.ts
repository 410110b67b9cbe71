import { type Duration, millis, SeededRandom, type World } from '@stead/world'
import { isProviderError, ProviderError } from '../errors.ts'
import { Throttle } from '../throttle.ts'
import { Account, type Premises } from './account/account.ts'
import { Clockwork } from './clockwork.ts'
import { type FaultName, Faults } from './faults.ts'
import { type CloudProfile, defaultProfile } from './profile.ts'
import type { SimServer } from './server/server.ts'

export interface CloudOptions {
  /** The cloud's own time. Clients bring theirs, and may die; the cloud does not. */
  readonly world: World
  readonly profile?: Partial<CloudProfile>
  /** Everything it draws follows from this; drawn from the world when left out. */
  readonly seed?: number | string
  /** Where reads may be stale, every second one is, unless this says otherwise. */
  readonly rates?: Partial<Record<FaultName, number>>
}

export type OutageKind = 'outage' | 'partialOutage' | 'slowness'

export interface Outage {
  readonly kind: OutageKind
  /** Only these calls; all when left out. */
  readonly on?: readonly string[]
  /** Which share of the calls it hits. */
  readonly share?: number
  /** How many times slower. */
  readonly factor?: number
}

/** What a read is shown. */
export interface Sight {
  readonly at: number
  /** Counts the fault when the picture turns out to differ from the present. */
  noteIf(stale: boolean): void
}

export type Answer<T> = { readonly value: T } | { readonly error: ProviderError }

const refusal = (code: 'Auth' | 'Internal' | 'Throttled' | 'Unavailable', why: string, retryAfter?: Duration) => ({
  error: new ProviderError(code, why, retryAfter === undefined ? {} : { retryAfter }),
})

/** A whole cloud in memory: its accounts, its clockwork and everything that goes wrong in it. Clients call it over a `Line`. */
export class SimulatedCloud {
  readonly world: World
  readonly profile: CloudProfile
  readonly faults: Faults
  readonly clockwork: Clockwork
  readonly #random: SeededRandom
  readonly #premises: Premises
  readonly #accounts = new Map<string, Account>()
  readonly #keys = new Map<string, Account>()
  readonly #throttles = new Map<Account, Throttle>()
  readonly #outages = new Set<Outage>()

  constructor(options: CloudOptions) {
    this.world = options.world
    this.profile = { ...defaultProfile, ...options.profile }
    this.#random = new SeededRandom(options.seed ?? options.world.random())
    this.faults = new Faults(this.#random.fork('faults'), { staleDescribe: 0.5, staleList: 0.5, ...options.rates })
    this.clockwork = new Clockwork(options.world)
    const { profile, faults, clockwork } = this
    let sequence = 0
    const random = this.#random.fork('times')
    this.#premises = { profile, faults, clockwork, random, used: 0, nextSequence: () => ++sequence }
    this.addKey('simulated', 'default')
  }

  /** Things that are scripted, and how often each fault has struck. */
  script: Faults['script'] = (fault, script) => this.faults.script(fault, script)
  counts: Faults['counts'] = () => this.faults.counts()

  account(name = 'default'): Account {
    const known = this.#accounts.get(name)
    if (known) return known
    const account = new Account(name, this.#premises)
    this.#accounts.set(name, account)
    return account
  }

  /** A credential that opens this account. Several may. */
  addKey(key: string, accountName: string): void {
    this.#keys.set(key, this.account(accountName))
  }

  revokeKey(key: string): void {
    this.#keys.delete(key)
  }

  /** Begins; the answer ends it. */
  outage(outage: Outage): () => void {
    this.#outages.add(outage)
    return () => this.#outages.delete(outage)
  }

  crash(id: string): void {
    this.#strikeDown(id, 'crash')
  }

  disappear(id: string): void {
    this.#strikeDown(id, 'disappear')
  }

  /** How long this call takes, there and back. */
  latency(call: string): Duration {
    const usual = call === 'launch' ? this.profile.launchCall : this.profile.call
    const slow = this.faults.strike('slow', { call }) ? 10 : 1
    return millis(this.account().jittered(usual) * slow * (this.#hit('slowness', call)?.factor ?? 1))
  }

  /** Does what a request asks, at the moment it arrives. */
  serve<T>(key: string, call: string, effect: (account: Account) => T): Answer<T> {
    this.clockwork.advance()
    if (this.#hit('outage', call) || this.#hit('partialOutage', call))
      return refusal('Unavailable', 'connection refused')
    const account = this.#keys.get(key)
    if (!account) return refusal('Auth', 'the key is not valid')
    const wait = this.#throttle(account, call)
    if (wait > 0) return refusal('Throttled', 'too many requests', wait)
    if (this.faults.strike('errorBefore', { call })) return refusal('Internal', 'internal error')
    const late = changes(call) && this.faults.strike('lateEffect', { call })
    if (late) {
      this.world.setTimer(late.by ?? millis(this.#random.next() * 1_000), () => this.#perform(account, effect))
      return refusal('Unavailable', 'gateway timeout')
    }
    const answer = this.#perform(account, effect)
    return this.faults.strike('lostReply', { call }) ? refusal('Unavailable', 'connection reset') : answer
  }

  /** The moment whose picture a read shows: now, or a little while ago. */
  readAt(kind: 'describe' | 'list'): Sight {
    const fault = kind === 'describe' ? 'staleDescribe' : 'staleList'
    const oldest = this.profile.consistency[kind]
    const drawn = oldest > 0 ? this.faults.draw(fault, { call: kind }) : undefined
    const age = drawn ? Math.min(drawn.by ?? this.#random.next() * oldest, oldest) : 0
    const noteIf = (stale: boolean) => stale && this.faults.count(fault)
    return { at: this.clockwork.now - age, noteIf }
  }

  #perform<T>(account: Account, effect: (account: Account) => T): Answer<T> {
    this.clockwork.advance()
    try {
      return { value: effect(account) }
    } catch (error) {
      if (isProviderError(error)) return { error }
      throw error
    }
  }

  #throttle(account: Account, call: string): Duration {
    if (this.faults.strike('throttled', { call })) return millis(1_000)
    if (!this.profile.rate) return millis(0)
    const throttle = this.#throttles.get(account) ?? new Throttle(this.world, this.profile.rate)
    this.#throttles.set(account, throttle)
    const wait = throttle.tryTake()
    if (wait > 0) this.faults.count('throttled')
    return wait
  }

  #hit(kind: OutageKind, call: string): Outage | undefined {
    for (const outage of this.#outages) {
      if (outage.kind !== kind || (outage.on && !outage.on.includes(call))) continue
      if (outage.share !== undefined && this.#random.next() >= outage.share) continue
      this.faults.count(kind)
      return outage
    }
    return undefined
  }

  #strikeDown(id: string, fault: 'crash' | 'disappear'): void {
    this.clockwork.advance()
    const found = this.#find(id)
    if (!found) throw new Error(`there is no server ${id}`)
    found.account.strikeDown(found.server, fault)
  }

  #find(id: string): { account: Account; server: SimServer } | undefined {
    for (const account of this.#accounts.values()) {
      const server = account.servers.get(id)
      if (server) return { account, server }
    }
    return undefined
  }
}

const reads = new Set(['describe', 'list', 'catalog', 'metrics', 'logs', 'watch', 'console', 'exec'])

/** Calls on resources are named `networks.create`. */
const changes = (call: string): boolean => !reads.has(call.slice(call.indexOf('.') + 1))
