import { instant } from '@stead/world'
import { expect, test } from 'vitest'
import { liveNodes } from './nodes.ts'

const lease = (name: string, holder: string, remaining: number) => ({
  name,
  holder,
  fence: 1,
  expiresAt: instant(0),
  remaining: remaining as never,
})

test('a node is whoever holds something now, with all of it and the time of the first to run out', () =>
  expect(
    liveNodes([
      lease('maintenance', 'b', 5_000),
      lease('node/0', 'a', 9_000),
      lease('node/1', 'b', 5_000),
      lease('node/2', 'dead', 0),
      lease('shard/10', 'a', 9_000),
      lease('shard/2', 'a', 8_000),
      lease('shard/3', 'dead', -20),
    ]),
  ).toEqual([
    { id: 'a', shards: [2, 10], duties: [], remaining: 8_000 },
    { id: 'b', shards: [], duties: ['maintenance'], remaining: 5_000 },
  ]))
