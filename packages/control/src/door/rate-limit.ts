import { type Duration, millis, type World } from '@stead/world'

/** A token bucket: so many requests at once, and so many a second in the long run. */
export interface Rate {
  readonly burst: number
  readonly perSecond: number
}

interface Bucket {
  tokens: number
  /** Monotonic. */
  filledAt: number
  /** When its place in the order of use was last noted. */
  usedAt: number
}

/** Past this many at once the longest unused are forgotten, as if they had been still: memory stays bounded. */
const mostBuckets = 20_000

/** How often whom may ask. One bucket for each name: a credential, or an address. */
export class RateLimit {
  readonly #rate: Rate
  readonly #world: World
  /** In the order of their last use. */
  readonly #buckets = new Map<string, Bucket>()

  constructor(rate: Rate, world: World) {
    this.#rate = rate
    this.#world = world
  }

  /** Takes one from the bucket of `name`: undefined when there was one, else how long until there is. */
  take(name: string): Duration | undefined {
    const now = this.#world.monotonic()
    const { burst, perSecond } = this.#rate
    const bucket = this.#buckets.get(name) ?? { tokens: burst, filledAt: now, usedAt: Number.NEGATIVE_INFINITY }
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.filledAt) / 1_000) * perSecond)
    bucket.filledAt = now
    this.#remember(name, bucket, now)
    if (bucket.tokens < 1) return millis(Math.ceil(((1 - bucket.tokens) / perSecond) * 1_000))
    bucket.tokens -= 1
    return undefined
  }

  /** Keeps the order of use to the second: moving a bucket for each request would cost more than all the rest. */
  #remember(name: string, bucket: Bucket, now: number): void {
    if (now - bucket.usedAt < 1_000) return
    bucket.usedAt = now
    this.#buckets.delete(name)
    this.#buckets.set(name, bucket)
    if (this.#buckets.size > mostBuckets) this.#buckets.delete(this.#buckets.keys().next().value!)
  }

  get size(): number {
    return this.#buckets.size
  }
}

/** Whom an address stands for: one IPv6 customer holds at least a /64, so that is what is counted. */
export function addressGroup(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped) return mapped
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('%', 1)[0]!.toLowerCase().split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length)
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...right]
  return `${groups
    .slice(0, 4)
    .map(group => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`
}
