import { createPrivateKey, sign } from 'node:crypto'
import type { Instant, World } from '@stead/world'
import type { PublicKey } from './public-key.ts'
import { WireReader, wire } from './wire.ts'

/** Whom a certificate lets in, where, and for how long. */
export interface Certified {
  readonly subject: PublicKey
  /** What machines write in their logs when it is used. */
  readonly keyId: string
  /** Only machines that name one of these let it in. */
  readonly principals: readonly string[]
  readonly after: Instant
  readonly before: Instant
}

export interface Authority {
  readonly publicKey: PublicKey
  /** PKCS #8, DER, of an Ed25519 key. */
  readonly privateKey: Uint8Array
}

export interface Certificate {
  readonly serial: bigint
  /** As OpenSSH reads it from a `-cert.pub` file. */
  readonly text: string
}

const ofUser = 1
/** A terminal, forwarded ports and the caller's agent: what a person expects of `ssh`. X11 and `~/.ssh/rc` are not. */
const extensions = ['permit-agent-forwarding', 'permit-port-forwarding', 'permit-pty']
const signatureType = 'ssh-ed25519'

/** Signs a key, as OpenSSH's PROTOCOL.certkeys says. */
export function certify(world: Pick<World, 'randomBytes'>, authority: Authority, certified: Certified): Certificate {
  const { subject, keyId, principals, after, before } = certified
  const serial = Buffer.from(world.randomBytes(8))
  const type = certificateType(subject.type)
  const body = Buffer.concat([
    wire(type, world.randomBytes(32)),
    keyFields(subject),
    serial,
    uint32(ofUser),
    wire(keyId, wire(...principals)),
    seconds(after),
    seconds(before),
    wire('', wire(...extensions.flatMap(name => [name, ''])), '', authority.publicKey.blob),
  ])
  const key = createPrivateKey({ key: Buffer.from(authority.privateKey), format: 'der', type: 'pkcs8' })
  const blob = Buffer.concat([body, wire(wire(signatureType, sign(null, body, key)))])
  return {
    serial: serial.readBigUInt64BE(),
    text: [type, blob.toString('base64'), subject.comment].join(' ').trimEnd(),
  }
}

/** `ssh-ed25519` → `ssh-ed25519-cert-v01@openssh.com`, and `sk-…@openssh.com` likewise. */
const certificateType = (type: string): string => `${type.replace('@openssh.com', '')}-cert-v01@openssh.com`

/** What follows the type in a key: in a certificate it follows the nonce. */
function keyFields({ blob }: PublicKey): Buffer {
  const reader = new WireReader(blob)
  const type = reader.next()!
  return blob.subarray(4 + type.length)
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function seconds(at: Instant): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(Math.floor(at / 1_000)))
  return bytes
}
