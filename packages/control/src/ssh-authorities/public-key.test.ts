import { generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { realWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { newKeyPair } from './key-pair.ts'
import { fingerprintOf, type PublicKey, readPublicKey, writePublicKey } from './public-key.ts'
import { wire } from './wire.ts'

const bytes = (text: string | undefined) => Buffer.from(text!, 'base64url')

/** A number as SSH writes it: with a zero before it when its first bit is set. */
const mpint = (text: string | undefined) => {
  const number = bytes(text)
  return number[0]! >= 0x80 ? Buffer.concat([Buffer.alloc(1), number]) : number
}

const line = (type: string, ...fields: readonly (string | Uint8Array)[]) =>
  `${type} ${wire(type, ...fields).toString('base64')}`

const rsa = (modulusLength: number) => {
  const { n, e } = generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ format: 'jwk' }) as JsonWebKey
  return line('ssh-rsa', mpint(e), mpint(n))
}

const ecdsa = (size: 256 | 384 | 521) => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: `P-${size}` })
  const { x, y } = publicKey.export({ format: 'jwk' })
  return line(`ecdsa-sha2-nistp${size}`, `nistp${size}`, Buffer.concat([Buffer.from([4]), bytes(x), bytes(y)]))
}

const key32 = Buffer.alloc(32, 9)

test('keys of every type that can sign are read, and written in one form', () => {
  const lines = [
    line('ssh-ed25519', key32),
    rsa(2_048),
    ecdsa(256),
    ecdsa(384),
    ecdsa(521),
    line('sk-ssh-ed25519@openssh.com', key32, 'ssh:'),
  ]
  for (const text of lines) {
    const read = readPublicKey(`  ${text.replace(' ', ' \t ')}   ann's  key \n`)
    expect(read).toMatchObject({ comment: "ann's  key" })
    expect(writePublicKey(read as PublicKey)).toBe(`${text} ann's  key`)
  }
})

test.each([
  ['', 'must be a type'],
  ['ssh-ed25519', 'must be a type'],
  ['-----BEGIN OPENSSH PRIVATE KEY-----', 'is a private key'],
  [`${line('ssh-ed25519', key32)}\n${line('ssh-ed25519', key32)}`, 'must be one line'],
  [line('ssh-dss', key32), 'must be of a type that can sign'],
  [line('ssh-ed25519', key32).replace('ssh-ed25519 ', 'ssh-rsa '), 'another type than it says'],
  [line('ssh-ed25519', Buffer.alloc(31)), 'cut off'],
  [`ssh-ed25519 ${wire('ssh-ed25519', key32).subarray(0, -1).toString('base64')}`, 'cut off'],
  [line('ssh-ed25519', key32, 'more'), 'something behind its key'],
  ['ssh-ed25519 !!!!', 'not base64'],
  [
    line('ecdsa-sha2-nistp256', 'nistp256', Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 1)])),
    'no point of its curve',
  ],
  [line('ecdsa-sha2-nistp256', 'nistp384', Buffer.alloc(65, 4)), 'cut off'],
  [line('ssh-rsa', Buffer.from([1, 0, 1]), Buffer.alloc(256, 0xff)), 'cut off'],
  [`${line('ssh-ed25519', key32)} \u0007bell`, 'cannot be printed'],
])('%j is refused', (text, fault) => expect(readPublicKey(text)).toContain(fault))

test('an RSA key that is too small to trust is refused with its size', () =>
  expect(readPublicKey(rsa(1_024))).toBe('has 1024 bits: an RSA key must have 2048 at least'))

test('a fingerprint is what ssh-keygen prints', () => {
  const text = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl'
  expect(fingerprintOf(readPublicKey(text) as PublicKey)).toBe('SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU')
})

test('a pair that is made has a public key that can be read', () => {
  const { publicKey, privateKey } = newKeyPair(realWorld, 'ours')
  expect(readPublicKey(writePublicKey(publicKey))).toEqual(publicKey)
  expect(privateKey.length).toBe(48)
  expect(newKeyPair(realWorld, 'ours').privateKey.equals(privateKey)).toBe(false)
})
