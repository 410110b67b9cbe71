import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { SealError } from './seal-error.ts'

export const keyBytes = 32

/**
 * One key-encryption key. It wraps data keys and keys the content hashes, each with a key derived for that alone.
 * Held as key objects, which do not print themselves.
 */
export class SealKey {
  /** Names the key without revealing it: recorded in the store and in everything sealed. */
  readonly fingerprint: string
  readonly wrapping: KeyObject
  private readonly hashing: KeyObject

  constructor(secret: Uint8Array) {
    if (secret.length !== keyBytes)
      throw new SealError('key_unusable', `a seal key has ${keyBytes} bytes, this one ${secret.length}`)
    this.wrapping = derive(secret, 'wrap data keys')
    this.hashing = derive(secret, 'hash content')
    this.fingerprint = createHmac('sha256', derive(secret, 'fingerprint')).digest('hex').slice(0, 16)
  }

  /** Reads the text form: base64 of 32 bytes. */
  static parse(text: string, where: string): SealKey {
    const trimmed = text.trim()
    if (!/^[A-Za-z0-9+/]{43}=$/.test(trimmed))
      throw new SealError('key_unusable', `${where} does not hold a seal key: expected base64 of ${keyBytes} bytes`)
    return new SealKey(Buffer.from(trimmed, 'base64'))
  }

  /** Equal content, equal hash; but without the key nobody can try guesses against it. */
  hash(content: Uint8Array): string {
    return createHmac('sha256', this.hashing).update(content).digest('hex')
  }
}

const derive = (secret: Uint8Array, purpose: string): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', `stead seal key: ${purpose}`, keyBytes)))
