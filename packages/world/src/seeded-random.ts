/** A 32-bit hash of a text (FNV-1a, then mixed so that near texts are far apart). Stable for ever: shards depend on it. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return mix(hash)
}

function mix(value: number): number {
  let x = value
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b)
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35)
  return (x ^ (x >>> 16)) >>> 0
}

/** Numbers that look random and are the same for the same seed (sfc32). Never for secrets. */
export class SeededRandom {
  readonly #seed: string
  #a: number
  #b: number
  #c: number
  #counter = 1

  constructor(seed: number | string) {
    this.#seed = String(seed)
    this.#a = hashText(`a/${seed}`)
    this.#b = hashText(`b/${seed}`)
    this.#c = hashText(`c/${seed}`)
    // The first outputs still show the seed's shape.
    for (let i = 0; i < 12; i++) this.#next()
  }

  /** A number in [0, 1). */
  next(): number {
    return this.#next() / 0x1_0000_0000
  }

  /** A whole number in [0, below). */
  below(below: number): number {
    return Math.floor(this.next() * below)
  }

  bytes(length: number): Uint8Array {
    const bytes = new Uint8Array(length)
    for (let i = 0; i < length; i++) bytes[i] = this.#next() & 0xff
    return bytes
  }

  /** A stream of its own: what one part draws does not move what another part gets. */
  fork(label: string): SeededRandom {
    return new SeededRandom(`${this.#seed}/${label}`)
  }

  #next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum
    this.#c |= 0
    return sum >>> 0
  }
}
