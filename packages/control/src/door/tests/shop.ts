import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { changeSet } from '@stead/engine'
import { temporaryDirectory } from '@stead/testing'
import { afterAll, onTestFinished } from 'vitest'
import type { DoorOptions } from '../door.ts'
import { House, type HouseOptions } from './house.ts'
import { widgetPermissions } from './widgets.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was answered
  readonly body: any
}

export interface CallOptions {
  readonly token?: string | null
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * A tenant of a house: the organization has the projects shop and lab, and `token` may do everything with widgets in
 * the shop. Another organization has a project that nobody here knows of.
 */
export class Shop {
  readonly house: House
  readonly organization: string
  readonly token: string
  readonly ids: {
    readonly organization: string
    readonly shop: string
    readonly lab: string
    readonly secretive: string
  }

  private constructor(house: House, name: string, ids: Shop['ids']) {
    this.house = house
    this.organization = name
    this.token = `token-of-${name}`
    this.ids = ids
  }

  static async openIn(house: House): Promise<Shop> {
    const name = `acme-${house.cache.revision}`
    const [acme, globex] = [house.thing('organization', name), house.thing('organization', `not-${name}`)]
    const [shop, lab] = [house.thing('project', 'shop', acme.id), house.thing('project', 'lab', acme.id)]
    const secretive = house.thing('project', 'secretive', globex.id)
    const set = changeSet(house.world)
    for (const thing of [acme, globex, shop, lab, secretive]) set.create(thing)
    await house.commit(set)
    const ids = { organization: acme.id, shop: shop.id, lab: lab.id, secretive: secretive.id }
    const opened = new Shop(house, name, ids)
    await house.grant(opened.token, shop.id, ['projects:read', ...widgetPermissions])
    return opened
  }

  get widgets(): string {
    return `/v1/projects/${this.ids.shop}/widgets`
  }

  get watch(): string {
    return `/v1/projects/${this.ids.shop}/watch`
  }

  async call(
    method: string,
    path: string,
    { token = this.token, body, headers = {} }: CallOptions = {},
  ): Promise<Answer> {
    const response = await fetch(this.house.url + path, {
      method,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = /json/.test(response.headers.get('content-type') ?? '')
    return { status: response.status, headers: response.headers, body: isJson && text ? JSON.parse(text) : text }
  }

  /** Creates a widget in the shop. */
  make(name: string, more: object = {}, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.call('POST', this.widgets, { body: { name, spec: { size: 3 }, ...more }, headers })
  }
}

/** A shop in a house of its own, for tests that set limits, restart it, or look at all that is in it. */
export async function openOwn(door: Partial<DoorOptions> = {}, server: HouseOptions['server'] = {}): Promise<Shop> {
  const house = new House(temporaryDirectory(), { door, server })
  await house.start()
  onTestFinished(() => house.close())
  return Shop.openIn(house)
}

/** One house for all tests of a file, each with a shop of its own: opening a house takes longer than most tests. */
export function shareHouse(): () => Promise<Shop> {
  const directory = mkdtempSync(join(tmpdir(), 'stead-test-'))
  const house = new House(directory)
  let started: Promise<void> | undefined
  afterAll(async () => {
    if (started) await house.close()
    rmSync(directory, { recursive: true, force: true })
  })
  return async () => {
    started ??= house.start()
    await started
    return Shop.openIn(house)
  }
}
