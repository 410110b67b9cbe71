import { createPublicKey, hash } from 'node:crypto'
import { WireReader } from './wire.ts'

/** A public key as OpenSSH writes them: `ssh-ed25519 AAAA… a comment`. */
export interface PublicKey {
  readonly type: string
  readonly blob: Buffer
  readonly comment: string
}

/** So much as a key of 16384 bits needs, and a comment. */
export const longestPublicKey = 8_192

const smallestRsa = 2_048
const largestRsa = 16_384

const curves: Readonly<Record<string, { readonly name: string; readonly jwk: string; readonly size: number }>> = {
  'ecdsa-sha2-nistp256': { name: 'nistp256', jwk: 'P-256', size: 32 },
  'ecdsa-sha2-nistp384': { name: 'nistp384', jwk: 'P-384', size: 48 },
  'ecdsa-sha2-nistp521': { name: 'nistp521', jwk: 'P-521', size: 66 },
}

/** What must follow the type in a key of each type; answers what is wrong, if anything. */
const bodies: Readonly<Record<string, (reader: WireReader, type: string) => string | undefined>> = {
  'ssh-ed25519': ed25519,
  'sk-ssh-ed25519@openssh.com': reader => ed25519(reader) ?? application(reader),
  'ssh-rsa': rsa,
  ...Object.fromEntries(Object.keys(curves).map(type => [type, ecdsa])),
  'sk-ecdsa-sha2-nistp256@openssh.com': reader => ecdsa(reader, 'ecdsa-sha2-nistp256') ?? application(reader),
}

export const keyTypes = Object.keys(bodies)

/** Reads a key; a text says what is wrong with it. Never repeats what was sent: it may be a private key by mistake. */
export function readPublicKey(text: string): PublicKey | string {
  const line = text.trim()
  if (/PRIVATE KEY/.test(line))
    return 'is a private key: send the public one, and make a new pair, since this one is known now'
  if (/[\r\n]/.test(line)) return 'must be one line'
  const [, type, encoded, comment = ''] = /^(\S+)[ \t]+(\S+)(?:[ \t]+(.*))?$/.exec(line) ?? []
  if (type === undefined || encoded === undefined) return 'must be a type, a key in base64 and perhaps a comment'
  const body = bodies[type]
  if (!body) return `must be of a type that can sign: ${keyTypes.join(', ')}`
  const blob = Buffer.from(encoded, 'base64')
  if (blob.toString('base64') !== encoded) return 'has a key that is not base64'
  const reader = new WireReader(blob)
  if (reader.next()?.toString('latin1') !== type) return 'has a key of another type than it says'
  const fault = body(reader, type)
  if (fault !== undefined) return fault
  if (!reader.isAtEnd) return 'has something behind its key'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what would end the line or move a terminal's cursor.
  if (/[\u0000-\u001f\u007f]/.test(comment)) return 'has a comment that cannot be printed'
  return { type, blob, comment: comment.trim() }
}

/** The one way to write it. */
export const writePublicKey = ({ type, blob, comment }: PublicKey): string =>
  [type, blob.toString('base64'), ...(comment === '' ? [] : [comment])].join(' ')

/** As `ssh-keygen -l` prints it. */
export const fingerprintOf = ({ blob }: Pick<PublicKey, 'blob'>): string =>
  `SHA256:${hash('sha256', blob, 'base64').replace(/=+$/, '')}`

const broken = 'has a key that is cut off or malformed'

function ed25519(reader: WireReader): string | undefined {
  return reader.next()?.length === 32 ? undefined : broken
}

function application(reader: WireReader): string | undefined {
  return reader.next()?.length ? undefined : broken
}

function ecdsa(reader: WireReader, type: string): string | undefined {
  const { name, jwk, size } = curves[type]!
  const [curve, point] = [reader.next(), reader.next()]
  if (curve?.toString('latin1') !== name || !point || point.length !== 1 + 2 * size || point[0] !== 4) return broken
  const [x, y] = [point.subarray(1, 1 + size), point.subarray(1 + size)].map(part => part.toString('base64url'))
  try {
    createPublicKey({ key: { kty: 'EC', crv: jwk, x: x!, y: y! }, format: 'jwk' })
    return undefined
  } catch {
    return 'has a key that is no point of its curve'
  }
}

function rsa(reader: WireReader): string | undefined {
  const [exponent, modulus] = [positive(reader.next()), positive(reader.next())]
  if (exponent === undefined || modulus === undefined) return broken
  if (exponent < 3n || exponent % 2n === 0n || modulus % 2n === 0n) return broken
  const bits = modulus.toString(2).length
  if (bits < smallestRsa) return `has ${bits} bits: an RSA key must have ${smallestRsa} at least`
  return bits > largestRsa ? `has ${bits} bits: an RSA key may have ${largestRsa} at most` : undefined
}

/** A whole number above zero, in as few bytes as it takes. */
function positive(bytes: Buffer | undefined): bigint | undefined {
  const [first, second] = bytes ?? []
  if (!bytes || first === undefined || first >= 0x80) return undefined
  if (first === 0 && (second === undefined || second < 0x80)) return undefined
  return BigInt(`0x${bytes.toString('hex')}`)
}
