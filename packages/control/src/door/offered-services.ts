import type { View } from '@stead/engine'
import type { World } from '@stead/world'
import type { Conclusion } from './conclusion.ts'
import type { DoorEngine } from './engine.ts'
import type { KeyedRequest } from './idempotency.ts'
import type { Preparation } from './prepared-route.ts'
import { routeName } from './route.ts'
import type { Services } from './services.ts'
import type { Visit } from './visit.ts'

export interface ServiceSources {
  readonly engine: DoorEngine
  readonly world: World
  readonly conclusion: Conclusion
  readonly follow: Services['follow']
  readonly reached: Services['reached']
}

/** What a request is handled for. */
export interface Handling {
  readonly visit: Visit
  readonly prepared: Preparation
  readonly keyed: { readonly request: KeyedRequest; readonly takeFrom: string | undefined } | undefined
}

/** What handlers are offered. Each service is made when it is taken: a read takes none, and then they cost nothing. */
export class OfferedServices implements Services {
  readonly #sources: ServiceSources
  readonly #handling: Handling

  constructor(sources: ServiceSources, handling: Handling) {
    this.#sources = sources
    this.#handling = handling
  }

  get world(): World {
    return this.#sources.world
  }

  get everything(): View {
    return this.#sources.engine.cache.platform()
  }

  get follow(): Services['follow'] {
    return this.#sources.follow
  }

  get reached(): Services['reached'] {
    return this.#sources.reached
  }

  get conclude(): Services['conclude'] {
    const { visit, prepared, keyed } = this.#handling
    return (changeSet, answer) => this.#sources.conclusion.conclude(visit, prepared, keyed, { changeSet, answer })
  }

  get commit(): Services['commit'] {
    const { visit, prepared } = this.#handling
    return changeSet => {
      if (prepared.route.commits === 'many') return this.#sources.conclusion.commit(visit, changeSet)
      throw new Error(`${routeName(prepared.route)} commits on the way, and does not say that it commits many`)
    }
  }

  get triedAs(): Services['triedAs'] {
    return name => {
      this.#handling.visit.tried = name
    }
  }

  get cameInAs(): Services['cameInAs'] {
    const { visit } = this.#handling
    return ({ principalId, type, displayName, credentialId }) => {
      visit.caller = { ...visit.caller, principalId, type, displayName, credentialId }
    }
  }

  get does(): Services['does'] {
    return deed => {
      this.#handling.visit.deed = deed
    }
  }
}
