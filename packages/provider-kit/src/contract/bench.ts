import assert from 'node:assert/strict'
import { type Duration, elapsed, millis, newId, type World } from '@stead/world'
import { isProviderError, type ProviderError, type ProviderErrorCode } from '../errors.ts'
import { listAll, type ServerFilter } from '../filter.ts'
import type { LaunchSource, LaunchSpec } from '../launch-spec.ts'
import type { Provider } from '../provider.ts'
import type { ServerInfo, ServerState } from '../server-info.ts'
import { labelTags, ownerTags, serverTags, type Tags } from '../tags.ts'
import { type CreateToken, createToken, launchToken } from '../tokens.ts'
import type { GroupFixtures } from './fixtures.ts'
import type { Need } from './promise.ts'
import type { ContractSubject } from './subject.ts'
import { assertWhole } from './whole.ts'

export interface Order {
  readonly spec: LaunchSpec
  readonly token: CreateToken
}

export interface OrderOptions {
  readonly source?: LaunchSource
  readonly power?: 'on' | 'off'
  readonly tags?: Tags
}

/** What a check works with: orders and their servers, waiting, and expecting refusals. Cleans up after itself. */
export class Bench {
  readonly subject: ContractSubject
  /** Marks everything of this check, and nothing else. */
  readonly mark: Tags
  readonly #made = new Set<string>()
  readonly #after: (() => Promise<unknown>)[] = []
  #numbers = 0

  constructor(subject: ContractSubject) {
    this.subject = subject
    this.mark = labelTags({ contract: newId(subject.world, 'run') })
  }

  get provider(): Provider {
    return this.subject.provider
  }

  get world(): World {
    return this.subject.world
  }

  /** Something to launch that nobody has launched yet. */
  order(options: OrderOptions = {}): Order {
    const serverId = newId(this.world, 'srv')
    const { source = this.subject.sources.minimal, power = 'on', tags = {} } = options
    const spec: LaunchSpec = {
      name: `contract-${++this.#numbers}`,
      source,
      power,
      tags: { ...serverTags(this.subject.owner, serverId), ...this.mark, ...tags },
    }
    return { spec, token: launchToken(serverId, 1) }
  }

  async launch(options: OrderOptions = {}): Promise<ServerInfo> {
    return this.place(this.order(options), true)
  }

  /** Sends an order. `fresh` only the first time. */
  async place({ spec, token }: Order, fresh = false, provider = this.provider): Promise<ServerInfo> {
    const server = await provider.launch(spec, token, fresh ? { fresh } : {})
    assertWhole(server)
    this.#made.add(server.id)
    return server
  }

  async running(options: OrderOptions = {}): Promise<ServerInfo> {
    return this.until((await this.launch(options)).id, 'running')
  }

  async stopped(options: OrderOptions = {}): Promise<ServerInfo> {
    const { id } = await this.running(options)
    await this.provider.stop(id)
    return this.until(id, 'stopped')
  }

  /** Waits until a server is in this state. One that was just made may not be visible yet. */
  async until(id: string, ...states: ServerState[]): Promise<ServerInfo> {
    return this.eventually(`${id} to be ${states.join(' or ')}`, async () => {
      const server = await this.find(id)
      return server && states.includes(server.state) ? server : undefined
    })
  }

  /** Its state; one that cannot be found is terminated. */
  async stateOf(id: string): Promise<ServerState> {
    return (await this.find(id))?.state ?? 'terminated'
  }

  async find(id: string): Promise<ServerInfo | undefined> {
    try {
      return await this.provider.describe(id)
    } catch (error) {
      if (isProviderError(error, 'NotFound')) return undefined
      throw error
    }
  }

  async untilGone(id: string): Promise<void> {
    await this.eventually(`${id} to be gone`, async () => (await this.stateOf(id)) === 'terminated' || undefined)
  }

  /** Asks again and again until there is an answer. */
  async eventually<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
    const start = this.world.monotonic()
    const limit = this.subject.limits.transition + this.oldest
    // Often at first, for fast backends, and then less often.
    for (let pause = 10; ; pause = Math.min(pause * 2, 500)) {
      const answer = await ask()
      if (answer !== undefined) return answer
      assert.ok(this.world.monotonic() - start < limit, `waited ${limit} ms for ${what}`)
      await this.world.sleep(millis(pause))
    }
  }

  /** Gives something as long as a change of state may take, and says what did not happen. */
  async within<T>(what: string, work: Promise<T>, limit = this.subject.limits.transition): Promise<T> {
    const late = Symbol('late')
    const stop = new AbortController()
    const deadline = this.world.sleep(limit, stop.signal).then(() => late)
    const first = await Promise.race([work, deadline.catch(() => late)]).finally(() => stop.abort())
    assert.notEqual(first, late, `${what}: not within ${limit} ms`)
    return first as T
  }

  /** How old a picture the backend may show. */
  get oldest(): Duration {
    const { describe, list } = this.provider.capabilities().consistency
    return millis(Math.max(describe, list))
  }

  /** After this, every read sees at least what is there now. */
  async pictures(): Promise<void> {
    if (this.oldest > 0) await this.world.sleep(millis(this.oldest + 1))
  }

  async list(filter: Partial<ServerFilter> = {}, provider = this.provider): Promise<ServerInfo[]> {
    await this.pictures()
    const servers = await listAll(provider.list({ tags: this.mark, ...filter }))
    for (const server of servers) assertWhole(server)
    return servers
  }

  async ids(filter: Partial<ServerFilter> = {}): Promise<string[]> {
    return (await this.list(filter)).map(server => server.id).sort()
  }

  /** Expects a typed refusal. */
  async refused(what: string, call: () => Promise<unknown>, ...codes: ProviderErrorCode[]): Promise<ProviderError> {
    try {
      await call()
    } catch (error) {
      assert.ok(isProviderError(error), `${what} should fail with a ProviderError, not with ${error}`)
      const wanted = codes.join(' or ') || 'any'
      assert.ok(isProviderError(error, ...codes), `${what} should be ${wanted}, and is ${error.code}: ${error.message}`)
      return error
    }
    assert.fail(`${what} should have been refused`)
  }

  /** How long something took, however it ended. */
  async timed(work: () => Promise<unknown>): Promise<Duration> {
    const start = this.world.monotonic()
    await work().catch(() => {})
    return elapsed(start as never, this.world.monotonic() as never)
  }

  /** A server made behind the provider's back. */
  async plant(tags: Tags): Promise<string> {
    const id = await this.subject.backend.plant({ ...tags, ...this.mark })
    this.afterwards(() => this.subject.backend.remove(id))
    await this.pictures()
    return id
  }

  /** Tags that prove something ours, for what is not a server. */
  ownTags(): Tags {
    return { ...ownerTags(this.subject.owner), ...this.mark }
  }

  token(): CreateToken {
    return createToken(newId(this.world, 'tok'))
  }

  given<N extends Need>(need: N): Exclude<ContractSubject[N], { readonly not: string }> {
    const part = this.subject[need]
    assert.ok(!('not' in part), `this needs ${need}, and the subject has none`)
    return part as Exclude<ContractSubject[N], { readonly not: string }>
  }

  get inside() {
    return this.given('inside')
  }

  bootId(id: string): Promise<string> {
    return this.given('bootId')(id)
  }

  /** What a group needs to be tested. Advertised and not testable is a failure: nobody would know whether it works. */
  fixture<Group extends keyof GroupFixtures>(group: Group): GroupFixtures[Group] {
    const fixture = this.subject.groups[group]
    assert.ok(fixture, `${group} is advertised, and the subject says nothing about how to test it`)
    return fixture
  }

  /** Once all servers are gone, the last one first. */
  afterwards(work: () => Promise<unknown>): void {
    this.#after.unshift(work)
  }

  async cleanUp(): Promise<void> {
    if (this.subject.disposable) return
    await Promise.all([...this.#made].map(id => this.provider.terminate(id)))
    for (const id of this.#made) await this.untilGone(id)
    for (const work of this.#after) await work()
  }
}
