import type { Revision } from '@stead/engine'
import type { World } from '@stead/world'

/** An answer in its final words. */
export interface WrittenReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON; undefined when there is no body. */
  readonly text: string | undefined
  /** What of it goes over the wire each time, made when it is first sent: answers that are kept are sent many times. */
  wire?: Wire | undefined
}

export interface Wire {
  /** Names and values in turn, as Node takes them. */
  readonly lines: readonly string[]
  readonly encoding: 'latin1' | 'utf8'
}

/**
 * A number that stands for the revision a change will have, in an answer that is written before the change is.
 * Random among 2^48, so that no number a caller sent is taken for it.
 */
export const drawPlaceholder = (world: World): Revision => 2 ** 52 + Buffer.from(world.randomBytes(6)).readUIntBE(0, 6)

/** The answer with the revision that the change turned out to have. */
export function withRevision(reply: WrittenReply, placeholder: Revision, revision: Revision): WrittenReply {
  const fill = (text: string) => text.replaceAll(String(placeholder), String(revision))
  return {
    status: reply.status,
    headers: Object.fromEntries(Object.entries(reply.headers).map(([name, value]) => [name, fill(value)])),
    text: reply.text === undefined ? undefined : fill(reply.text),
  }
}
