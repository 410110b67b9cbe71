import type { Duration } from '@stead/world'
import { ProviderError } from '../../errors.ts'
import type { ResourceInfo } from '../../groups/collection.ts'
import type { Clockwork } from '../clockwork.ts'
import type { CloudProfile } from '../profile.ts'
import { type CreateRequest, Ledger } from './ledger.ts'
import type { Place, Resource } from './resources.ts'
import { Roster } from './roster.ts'

interface ShelfOptions {
  /** How ids on it begin: `net-`. */
  readonly prefix: string
  readonly profile: CloudProfile
  readonly clockwork: Clockwork
  readonly nextSequence: () => number
}

/** For how long reads may be shown older pictures. */
export const oldest = (profile: CloudProfile): Duration =>
  Math.max(profile.consistency.describe, profile.consistency.list) as Duration

/** All resources of one kind in an account. */
export class Shelf<Info extends ResourceInfo, R extends Resource<Info>> {
  readonly roster: Roster<Info, R>
  readonly #options: ShelfOptions
  readonly #ledger: Ledger

  constructor(options: ShelfOptions) {
    this.#options = options
    this.roster = new Roster(oldest(options.profile))
    this.#ledger = new Ledger(options.profile.idempotency)
  }

  create(request: CreateRequest, make: (place: Place) => R): R {
    const earlier = this.#ledger.earlier(request)
    const existing = earlier === undefined ? undefined : this.roster.get(earlier)
    if (existing) return existing
    const { prefix, clockwork, profile, nextSequence } = this.#options
    const sequence = nextSequence()
    const resource = make({ id: `${prefix}-${sequence.toString(16).padStart(8, '0')}`, sequence })
    this.#ledger.note(request, resource.id)
    this.roster.add(resource, clockwork.now)
    clockwork.later(profile.build, () => {
      resource.state = 'ready'
      if (!resource.removed) this.changed(resource)
    })
    return resource
  }

  named(name: string): R | undefined {
    const id = this.#ledger.named(name)
    return id === undefined ? undefined : this.roster.get(id)
  }

  /** The resource, or NotFound. */
  existing(id: string): R {
    const resource = this.roster.get(id)
    if (!resource) throw new ProviderError('NotFound', `there is no ${id}`)
    return resource
  }

  /** Refuses a config that uses what is not there, or not finished. */
  usable(id: string): R {
    const resource = this.roster.get(id)
    if (!resource) throw new ProviderError('InvalidConfig', `there is no ${id}`)
    if (resource.state !== 'ready') throw new ProviderError('InvalidConfig', `${id} is ${resource.state}`)
    return resource
  }

  changed(resource: R): void {
    this.roster.changed(resource, this.#options.clockwork.now)
  }

  remove(id: string): R | undefined {
    const resource = this.roster.get(id)
    if (!resource) return undefined
    if (resource.users.size > 0)
      throw new ProviderError('Conflict', `${id} is in use by ${[...resource.users].slice(0, 5).join(', ')}`)
    const { clockwork, profile } = this.#options
    this.#ledger.free(resource.name, id)
    this.roster.remove(resource, clockwork.now)
    clockwork.later(oldest(profile), () => this.roster.forget(resource))
    return resource
  }
}
