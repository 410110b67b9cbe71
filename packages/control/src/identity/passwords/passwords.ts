import { type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { seconds, type World } from '@stead/world'
import { fail } from '../../errors/index.ts'

const derive = promisify<string, Uint8Array, number, ScryptOptions, Buffer>(scrypt)

/** How hard a hash is to compute: N = 2^exponent, r and p of scrypt. */
export interface PasswordCost {
  readonly exponent: number
  readonly blockSize: number
  readonly parallelization: number
}

/** What OWASP asks of scrypt with 32 MiB. About 0.2 s of a core. */
const usualCost: PasswordCost = { exponent: 15, blockSize: 8, parallelization: 3 }

const saltBytes = 16
const hashBytes = 32

/** At once: each takes 32 MiB and a core. */
const mostAtOnce = 2
/** Past this many waiting, the rest come back later. */
const mostWaiting = 32

/** Hashes passwords, slowly by design, without letting that stop everything else. */
export class Passwords {
  readonly #world: World
  readonly #cost: PasswordCost
  #running = 0
  readonly #waiting: (() => void)[] = []

  constructor(world: World, cost: PasswordCost = usualCost) {
    this.#world = world
    this.#cost = cost
  }

  async hash(password: string): Promise<string> {
    const salt = Buffer.from(this.#world.randomBytes(saltBytes))
    const hash = await this.#derive(password, salt, this.#cost)
    return this.#written(salt.toString('base64url'), hash.toString('base64url'))
  }

  /** Takes as long where there is no password to compare with: who has an account is not told by the clock. */
  async verify(password: string, kept: string | undefined): Promise<boolean> {
    const [, exponent, blockSize, parallelization, salt, hash] = (kept ?? this.#written(...noPassword)).split('$')
    const derived = await this.#derive(password, Buffer.from(salt!, 'base64url'), {
      exponent: Number(exponent),
      blockSize: Number(blockSize),
      parallelization: Number(parallelization),
    })
    return timingSafeEqual(derived, Buffer.from(hash!, 'base64url')) && kept !== undefined
  }

  #written(salt: string, hash: string): string {
    const { exponent, blockSize, parallelization } = this.#cost
    return ['scrypt', exponent, blockSize, parallelization, salt, hash].join('$')
  }

  async #derive(
    password: string,
    salt: Uint8Array,
    { exponent, blockSize, parallelization }: PasswordCost,
  ): Promise<Buffer> {
    await this.#enter()
    try {
      // What looks the same on two keyboards is the same password.
      return await derive(password.normalize('NFKC'), salt, hashBytes, {
        N: 2 ** exponent,
        r: blockSize,
        p: parallelization,
        maxmem: 256 * 2 ** exponent * blockSize,
      })
    } finally {
      this.#leave()
    }
  }

  async #enter(): Promise<void> {
    if (this.#running >= mostAtOnce) {
      if (this.#waiting.length >= mostWaiting)
        throw fail('unavailable', 'too many passwords are being checked', { retryAfter: seconds(2) })
      await new Promise<void>(resolve => this.#waiting.push(resolve))
      return
    }
    this.#running++
  }

  /** Whoever waits takes over the place. */
  #leave(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#running--
  }
}

/** A salt and a hash of the usual lengths, which no password is known to have. */
const noPassword = ['A'.repeat(22), 'A'.repeat(43)] as const
