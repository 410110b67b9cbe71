import type { World } from '@stead/world'
import { addressGroup, RateLimit } from '../../door/rate-limit.ts'
import { fail } from '../../errors/index.ts'

/** Of one account: twenty an hour find no password that was chosen with any care. Of one address: a whole office may share it. */
const rates = { account: { burst: 10, perSecond: 1 / 180 }, address: { burst: 30, perSecond: 1 / 10 } }

/** Slows down whoever tries passwords, right ones too: what is counted is the work. */
export class Guessing {
  readonly #accounts: RateLimit
  readonly #addresses: RateLimit

  constructor(world: World) {
    this.#accounts = new RateLimit(rates.account, world)
    this.#addresses = new RateLimit(rates.address, world)
  }

  /** Counts an attempt; refuses it when there were too many. */
  count({ account, address }: { readonly account: string; readonly address: string }): void {
    const retryAfter = this.#addresses.take(addressGroup(address)) ?? this.#accounts.take(account)
    if (retryAfter !== undefined) throw fail('rate_limited', 'too many passwords were tried', { retryAfter })
  }
}
