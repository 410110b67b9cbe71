import { createHmac } from 'node:crypto'
import type { World } from '@stead/world'
import { secret } from '../schema/secret.ts'
import { Type } from '../schema/type.ts'

/** As Standard Webhooks has it: 24 to 64 random bytes. */
export const Secret = Type.String({
  pattern: '^whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
})

/** Stands in the answer to its making, and in no other. */
export const ShownSecret = Type.Optional(secret(Type.String({ description: 'What signs, if we made it. Shown once.' })))

const prefix = 'whsec_'

export const newSecret = (world: Pick<World, 'randomBytes'>): string =>
  prefix + Buffer.from(world.randomBytes(32)).toString('base64')

const keyOf = (secret: string) => Buffer.from(secret.slice(prefix.length), 'base64')

export interface Message {
  /** The same each time it is sent, and of no other message: by it a receiver knows what it has had already. */
  readonly id: string
  /** In seconds. What is much older than now, a receiver refuses: it may be somebody who listened. */
  readonly timestamp: number
  readonly body: string
}

/** The headers of Standard Webhooks: one signature for each secret that is valid, so that none is missed while one is replaced. */
export function signedHeaders({ id, timestamp, body }: Message, secrets: readonly string[]): Record<string, string> {
  const content = `${id}.${timestamp}.${body}`
  const signatures = secrets.map(secret => `v1,${createHmac('sha256', keyOf(secret)).update(content).digest('base64')}`)
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
}
