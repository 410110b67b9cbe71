import type { World } from './world.ts'

/**
 * A new id: a prefix that names the kind, then a UUIDv7.
 * Random, so it can't be guessed from a name; ordered by creation, so indexes stay compact and lists have a stable order.
 */
export function newId(world: World, prefix: string): string {
  const bytes = world.randomBytes(16)
  let time = world.now() as number
  for (let i = 5; i >= 0; i--) {
    bytes[i] = time % 256
    time = Math.floor(time / 256)
  }
  bytes[6] = (bytes[6]! & 0x0f) | 0x70
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  let id = `${prefix}_`
  for (let i = 0; i < 16; i++) id += i === 4 || i === 6 || i === 8 || i === 10 ? `-${hex[bytes[i]!]}` : hex[bytes[i]!]
  return id
}

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

const pattern = /^[a-z]+_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** The prefix of an id, or undefined if this is not an id of ours. */
export function idPrefix(id: string): string | undefined {
  return pattern.test(id) ? id.slice(0, id.indexOf('_')) : undefined
}
