import { hash, timingSafeEqual } from 'node:crypto'
import { newId, type World } from '@stead/world'

/**
 * What somebody shows to say who they are: `stead_` and 64 letters, which are 16 bytes that say which one it is, so that it
 * is found in one step, and 32 random bytes that prove it. Only a hash of the latter is kept; 256 random bits need no salt.
 */
export interface Minted {
  readonly id: string
  /** Shown once, and never kept. */
  readonly text: string
  readonly hash: string
}

/** The kinds, told apart by how they begin: a leaked one says what it is, and none is taken for another. */
const beginnings = { tok: 'stead_', ses: 'stead-session_', inv: 'stead-invitation_', tkt: 'stead-ticket_' } as const
export type CredentialKind = keyof typeof beginnings

const idBytes = 16
const secretBytes = 32

export function mint(world: World, kind: CredentialKind): Minted {
  const id = newId(world, kind)
  const secret = world.randomBytes(secretBytes)
  const bytes = Buffer.concat([Buffer.from(id.slice(kind.length + 1).replaceAll('-', ''), 'hex'), secret])
  return { id, text: beginnings[kind] + bytes.toString('base64url'), hash: hashOf(secret) }
}

/** What a text says it is; undefined when it is not of this kind. */
export function readCredential(kind: CredentialKind, text: string): { id: string; secret: Uint8Array } | undefined {
  const beginning = beginnings[kind]
  const letters = text.slice(beginning.length)
  if (!text.startsWith(beginning) || !/^[A-Za-z0-9_-]{64}$/.test(letters)) return undefined
  const bytes = Buffer.from(letters, 'base64url')
  const hex = bytes.toString('hex', 0, idBytes)
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)]
  const id = `${kind}_${parts.join('-')}`
  return { id, secret: bytes.subarray(idBytes) }
}

/** Takes as long for a wrong secret as for the right one. */
export const proves = (secret: Uint8Array, kept: string): boolean =>
  timingSafeEqual(Buffer.from(hashOf(secret)), Buffer.from(kept))

/** In one call, and as text: each request with a token pays for it, and a hash in a buffer of its own costs four times as much. */
const hashOf = (secret: Uint8Array) => hash('sha256', secret, 'base64url')
