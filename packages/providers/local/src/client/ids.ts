import { createHash } from 'node:crypto'
import type { CreateToken } from '@stead/provider-kit'

/** The id of what a token makes: the same token can only ever name one thing. */
export const idOf = (prefix: string, token: CreateToken): string =>
  `${prefix}_${createHash('sha256').update(token).digest('hex').slice(0, 24)}`
