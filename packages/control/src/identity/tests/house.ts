import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Controller, createMetrics, type Engine, type Store, silentLogger, startEngine } from '@stead/engine'
import type { ProviderDefinition } from '@stead/provider-kit'
import { after, type Duration, millis, realWorld, type World } from '@stead/world'
import Fastify, { type FastifyInstance } from 'fastify'
import { expect, onTestFinished } from 'vitest'
import { buildDoor } from '../../door/door.ts'
import { replySealer } from '../../door/idempotency.ts'
import type { Route } from '../../door/route.ts'
import { doorServerOptions, type ServerOptions } from '../../door/server-options.ts'
import type { Answer, CallOptions } from '../../door/tests/shop.ts'
import type { Registering } from '../../regions/register.ts'
import {
  openRooms,
  type RoomOptions,
  type Rooms,
  roomControllers,
  roomIndexes,
  type Surroundings,
} from '../../rooms.ts'
import { openTestStore } from '../../tests/stores.ts'
import { type SurroundingOptions, surroundings } from '../../tests/surroundings.ts'
import { firstStart } from '../first-start/first-start.ts'
import { MemoryKeeper } from './memory-keeper.ts'

export interface HouseOptions extends Partial<Omit<RoomOptions, 'fetching'>> {
  /** One of its own unless said. */
  readonly openStore?: () => Promise<Store>
  /** None unless said. */
  readonly providers?: readonly ProviderDefinition[]
  /** How images come; from nowhere inside, and at most a megabyte, unless said. */
  readonly fetching?: Omit<SurroundingOptions, 'providers'>
  /** Beside the rooms' own. */
  readonly controllers?: readonly Controller[]
  readonly server?: Partial<ServerOptions>
  /** Whether an answer that does not fit its schema is failed, as in all tests but the one that looks for such answers. */
  readonly checksReplies?: boolean
}

/** The whole of identity as it is served: a real store on disk, controllers, and the door on a loopback port. */
export class IdentityHouse {
  readonly directory = mkdtempSync(join(tmpdir(), 'stead-test-'))
  readonly world: World
  #ahead: Duration = millis(0)
  admin = ''
  url = ''
  store!: Store
  engine!: Engine
  rooms!: Rooms
  #surroundings!: Surroundings
  readonly #servers: FastifyInstance[] = []
  readonly #options: HouseOptions

  private constructor(options: HouseOptions) {
    this.#options = options
    this.world = { ...realWorld, now: () => after(realWorld.now(), this.#ahead) }
  }

  /** For one test: closed with it. */
  static async open(options: HouseOptions = {}): Promise<IdentityHouse> {
    const house = await IdentityHouse.openForAll(options)
    onTestFinished(() => house.close())
    return house
  }

  /** With organization `acme`, which has the projects `shop` and `lab`. */
  static async openWithAcme(): Promise<IdentityHouse> {
    const house = await IdentityHouse.open()
    await house.organization('acme')
    await house.project('acme', 'shop')
    await house.project('acme', 'lab')
    return house
  }

  /** For a whole file, which closes it. */
  static async openForAll(options: HouseOptions = {}): Promise<IdentityHouse> {
    const house = new IdentityHouse(options)
    await house.start()
    return house
  }

  async start(): Promise<void> {
    const { world, directory } = this
    const { openStore = () => openTestStore({ directory, world }), ...asked } = this.#options
    const { providers = [], controllers = [], server: _server, fetching: _fetching, ...options } = asked
    this.store = await openStore()
    const { store } = this
    this.#surroundings = surroundings(store, world, {
      ...{ providers, staging: join(directory, 'staging') },
      ...this.#options.fetching,
    })
    const { measureEvery } = this.#options
    const measured = measureEvery === undefined ? {} : { measureEvery }
    this.engine = startEngine({
      store,
      world,
      controllers: [...roomControllers({ ...this.#surroundings, ...measured }), ...controllers],
      indexes: roomIndexes,
    })
    const { cache, loaded } = this.engine
    await loaded
    this.admin = (await firstStart({ store, world, keeper: new MemoryKeeper() })) ?? this.admin
    await cache.reached(store.head())
    this.rooms = openRooms({
      ...this.#surroundings,
      engine: this.engine,
      world,
      metrics: createMetrics(),
      log: silentLogger,
      isSecure: false,
      version: { version: '0.0.0', node: process.version },
      ...options,
      // A thousandth of the usual work: these tests are not about it.
      passwordCost: { exponent: 6, blockSize: 8, parallelization: 1 },
    })
    this.url = await this.serve(this.rooms.routes)
  }

  /** Puts routes behind a door of their own; answers where. */
  async serve(routes: readonly Route[]): Promise<string> {
    const { world, engine, store, rooms } = this
    const { authenticate, rightsKinds, conflicts, witness } = rooms
    const door = buildDoor({
      routes,
      engine: { cache: engine.cache, store, commit: (set, options) => engine.commit(set, options) },
      authenticate,
      world,
      log: this.#options.log ?? silentLogger,
      metrics: createMetrics(),
      sealer: replySealer(this.#surroundings.sealer),
      rightsKinds,
      conflicts,
      witness,
      limits: { addressRate: { burst: 100_000, perSecond: 1 } },
      checksReplies: this.#options.checksReplies ?? true,
    })
    const server = Fastify(doorServerOptions({ world, ...this.#options.server }))
    door.mount(server)
    this.#servers.push(server)
    await server.listen({ host: '127.0.0.1', port: 0 })
    return `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`
  }

  /** Ends all of it, and starts it again on what it had. */
  async restart(): Promise<void> {
    await this.stop()
    await this.start()
  }

  /** Lets go of everything but what is on disk: `start` goes on from there. */
  async stop(): Promise<void> {
    for (const server of this.#servers.splice(0)) await server.close()
    await this.rooms.close()
    await this.engine.stop()
    await this.#surroundings.clients.close()
    await this.store.close()
  }

  async close(): Promise<void> {
    await this.stop()
    rmSync(this.directory, { recursive: true, force: true })
  }

  /** What it takes to register regions, as at the start of a node. */
  registering(): Registering {
    const { world, engine } = this
    const { clients, sealer } = this.#surroundings
    return { everything: engine.cache.platform(), commit: set => engine.commit(set), clients, sealer, world }
  }

  /** Lets time pass, for what looks at the clock. */
  pass(time: Duration): void {
    this.#ahead = millis(this.#ahead + time)
  }

  async call(
    method: string,
    path: string,
    { token = this.admin, body, headers = {} }: CallOptions = {},
  ): Promise<Answer> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      redirect: 'manual',
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = /[/+]json/.test(response.headers.get('content-type') ?? '')
    return { status: response.status, headers: response.headers, body: isJson && text ? JSON.parse(text) : text }
  }

  /** Calls, and fails the test unless it is answered so. */
  async must(status: number, method: string, path: string, options: CallOptions = {}): Promise<Answer['body']> {
    const answer = await this.call(method, path, options)
    expect({ status: answer.status, body: answer.body }).toMatchObject({ status })
    return answer.body
  }

  organization(name: string): Promise<Answer['body']> {
    return this.must(201, 'POST', '/v1/organizations', { body: { name } })
  }

  project(organization: string, name: string): Promise<Answer['body']> {
    return this.must(201, 'POST', `/v1/organizations/${organization}/projects`, { body: { name } })
  }

  /** A service account of an organization, with a token and perhaps a role there or in a project. */
  async account(organization: string, name: string, grant?: { role: string; project?: string }): Promise<Account> {
    const accounts = `/v1/organizations/${organization}/service-accounts`
    const { metadata } = await this.must(201, 'POST', accounts, { body: { name } })
    if (grant)
      await this.must(201, 'POST', `/v1/organizations/${organization}/grants`, {
        body: { principal: metadata.id, ...grant },
      })
    const { token, metadata: tokenMetadata } = await this.must(201, 'POST', `${accounts}/${name}/tokens`, {
      body: { expiresIn: '24h' },
    })
    return { id: metadata.id, path: `${accounts}/${name}`, token, tokenId: tokenMetadata.id }
  }

  /** Waits until something is gone. */
  async gone(path: string): Promise<void> {
    await expect.poll(async () => (await this.call('GET', path)).status, { interval: 5 }).toBe(404)
  }
}

export interface Account {
  readonly id: string
  readonly path: string
  readonly token: string
  readonly tokenId: string
}
