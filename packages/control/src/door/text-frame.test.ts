import type { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import * as ws from 'ws'
import { textFrame } from './text-frame.ts'

// What reads frames in every client that is built on it. It is public, and its types are not.
const { Receiver } = ws as unknown as { readonly Receiver: new (options: object) => Writable }

test('texts of every length arrive as they were, one after the other', async () => {
  const texts = [0, 1, 125, 126, 65_535, 65_536, 200_000].map(length => 'x'.repeat(length))
  texts.push('grüße, 世界', '{"line":"\\u0000"}')
  const received: string[] = []
  const receiver = new Receiver({ isServer: false })
  receiver.on('message', (data: Buffer, isBinary: boolean) => received.push(isBinary ? 'bytes' : String(data)))
  receiver.end(Buffer.concat(texts.map(textFrame)))
  await expect.poll(() => received.length).toBe(texts.length)
  expect(received).toEqual(texts)
})
