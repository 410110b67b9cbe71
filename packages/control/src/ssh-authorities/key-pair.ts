import { createPrivateKey, createPublicKey } from 'node:crypto'
import type { World } from '@stead/world'
import type { PublicKey } from './public-key.ts'
import { wire } from './wire.ts'

/** What stands before the 32 bytes of an Ed25519 private key in PKCS #8 (RFC 8410). */
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex')

const type = 'ssh-ed25519'

export interface KeyPair {
  readonly publicKey: PublicKey
  /** PKCS #8, DER. Sealed as soon as it is made. */
  readonly privateKey: Buffer
}

/** A new Ed25519 pair. */
export function newKeyPair(world: Pick<World, 'randomBytes'>, comment: string): KeyPair {
  const privateKey = Buffer.concat([pkcs8, world.randomBytes(32)])
  const { x } = createPublicKey(createPrivateKey({ key: privateKey, format: 'der', type: 'pkcs8' })).export({
    format: 'jwk',
  })
  return { publicKey: { type, blob: wire(type, Buffer.from(x!, 'base64url')), comment }, privateKey }
}
