import { ProviderError } from '@stead/provider-kit'

/** Eight addresses: the network, its gateway, its broadcast, and more than the one that a server needs. */
const size = 8

const toNumber = (address: string) => address.split('.').reduce((all, part) => all * 256 + Number(part), 0)
const toAddress = (number: number) => [24, 16, 8, 0].map(shift => Math.floor(number / 2 ** shift) % 256).join('.')

/** The one that the only container in such a network gets: the first after its gateway. */
export const addressIn = (subnet: string): string => toAddress(toNumber(subnet.split('/')[0]!) + 2)

/**
 * Picks a small subnet for the network of each server out of one range. An engine's own choice is a /16 or /24 each, and it
 * has none left after some thirty of them.
 */
export class Subnets {
  readonly #first: number
  readonly #count: number
  readonly #taken = new Set<number>()

  constructor(range: string) {
    const [base, bits] = range.split('/') as [string, string]
    this.#count = 2 ** (32 - Number(bits)) / size
    this.#first = toNumber(base) - (toNumber(base) % (this.#count * size))
    if (!(this.#count >= 1)) throw new ProviderError('InvalidConfig', `${range} has no room for a network of ${size}`)
  }

  /** One that is not in use as far as we know. `seed` spreads those who pick at the same time. */
  pick(seed: string): string {
    const start = Number.parseInt(seed.replace(/[^0-9a-f]/g, '').slice(-8), 16) % this.#count
    for (let step = 0; step < this.#count; step++) {
      const index = (start + step) % this.#count
      if (this.#taken.has(index)) continue
      this.#taken.add(index)
      return `${toAddress(this.#first + index * size)}/29`
    }
    throw new ProviderError('Capacity', 'every network of this region is in use')
  }

  /** Known to be in use: by others, too. */
  take(subnet: string): void {
    const index = this.#indexOf(subnet)
    if (index !== undefined) this.#taken.add(index)
  }

  free(subnet: string): void {
    const index = this.#indexOf(subnet)
    if (index !== undefined) this.#taken.delete(index)
  }

  #indexOf(subnet: string): number | undefined {
    const index = (toNumber(subnet.split('/')[0]!) - this.#first) / size
    return Number.isInteger(index) && index >= 0 && index < this.#count ? index : undefined
  }
}
