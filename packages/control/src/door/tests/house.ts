import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import {
  type ChangeSet,
  changeSet,
  createMetrics,
  type Engine,
  type Logger,
  openSealer,
  type ReadCache,
  type Store,
  startEngine,
} from '@stead/engine'
import { newId, realWorld, type World } from '@stead/world'
import Fastify, { type FastifyInstance } from 'fastify'
import { fail } from '../../errors/index.ts'
import type { Caller, Place } from '../../identity/caller.ts'
import { permissions } from '../../identity/permissions.ts'
import { openTestStore } from '../../tests/stores.ts'
import { buildDoor, type Door, type DoorOptions } from '../door.ts'
import { replySealer } from '../idempotency.ts'
import { doorServerOptions, type ServerOptions } from '../server-options.ts'
import { widgetPermissions, widgetRoutes } from './widgets.ts'

export interface HouseOptions {
  readonly door?: Partial<DoorOptions>
  readonly server?: Partial<ServerOptions>
}

/** Who may what, in tests: rights are objects of kind `grant`, so that changing one is a change like any other. */
interface GrantSpec {
  readonly token: string
  readonly permissions: readonly string[]
  /** An organization's or project's id, or `platform`. */
  readonly at: string
}

/** A whole house: a real store on disk, its cache, and the door on a loopback port. */
export class House {
  readonly world: World
  readonly metrics = createMetrics()
  readonly lines: string[] = []
  store!: Store
  engine!: Engine
  server!: FastifyInstance
  door!: Door
  url = ''
  readonly #directory: string
  readonly #options: HouseOptions

  constructor(directory: string, options: HouseOptions = {}) {
    this.#directory = directory
    this.#options = options
    this.world = options.door?.world ?? realWorld
  }

  async start(): Promise<void> {
    const { world } = this
    this.store = await openTestStore({ directory: this.#directory, world })
    this.engine = startEngine({ store: this.store, world })
    await this.engine.loaded
    this.door = buildDoor({
      routes: widgetRoutes,
      engine: { cache: this.cache, store: this.store, commit: (set, options) => this.engine.commit(set, options) },
      authenticate: ({ headers }) => this.#authenticate(headers.authorization),
      world,
      log: this.#log(),
      metrics: this.metrics,
      permissions: [...permissions, ...widgetPermissions],
      sealer: replySealer(await openSealer(this.store, { world, keyFile: join(this.#directory, 'seal.key') })),
      rightsKinds: ['grant'],
      checksReplies: true,
      ...this.#options.door,
    })
    this.server = Fastify(doorServerOptions({ world, ...this.#options.server }))
    this.server.get('/healthz', () => ({ status: 'alive' }))
    this.door.mount(this.server)
    await this.server.listen({ host: '127.0.0.1', port: 0 })
    this.url = `http://127.0.0.1:${(this.server.server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    await this.server.close()
    await this.engine.stop()
    await this.store.close()
  }

  get cache(): ReadCache {
    return this.engine.cache
  }

  async restart(): Promise<void> {
    await this.close()
    await this.start()
  }

  async commit(set: ChangeSet): Promise<void> {
    await this.engine.commit(set)
  }

  /** Gives a token rights at a place; answers how to take them away again. */
  async grant(token: string, at: string, granted: readonly string[]): Promise<() => Promise<void>> {
    const spec: GrantSpec = { token, permissions: granted, at }
    const object = { ...this.thing('grant', token), spec }
    await this.commit(changeSet(this.world).create(object))
    return () => this.commit(changeSet(this.world).remove(this.cache.platform().get('grant', object.id)!))
  }

  /** An object with nothing in it. */
  thing(kind: string, name: string, organizationId?: string) {
    return {
      kind,
      id: newId(this.world, kind.slice(0, 3)),
      name,
      labels: {},
      finalizers: [],
      createdAt: this.world.now(),
      spec: {},
      status: {},
      ...(organizationId !== undefined && { organizationId }),
    }
  }

  #authenticate(authorization: string | undefined): Caller {
    const token = /^Bearer (\S+)$/.exec(authorization ?? '')?.[1]
    const grants = () =>
      this.cache
        .platform()
        .list({ kind: 'grant', name: token ?? '' })
        .items.map(({ spec }) => spec as GrantSpec)
    if (token === undefined || grants().length === 0) throw fail('unauthenticated', 'this token is not known')
    return {
      principalId: `usr_${token}`,
      type: 'user',
      displayName: token,
      credentialId: token,
      isCurrent: () => grants().length > 0,
      may: (permission, place) =>
        grants().some(({ at, permissions: held }) => placeIds(place).includes(at) && held.includes(permission)),
      belongsTo: organizationId => grants().some(({ at }) => at === organizationId),
    }
  }

  #log(): Logger {
    const write = (level: string) => (fields: object, message: string) => {
      this.lines.push(
        JSON.stringify({ level, message, ...fields }, (_, value) => (value instanceof Error ? value.stack : value)),
      )
    }
    return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
  }
}

function placeIds(place: Place): readonly string[] {
  if (place.type === 'platform') return ['platform']
  const organization = ['platform', place.organizationId]
  return place.type === 'organization' ? organization : [...organization, place.projectId]
}
