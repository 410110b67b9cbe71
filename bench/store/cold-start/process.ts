// A node that starts on a store, says when it could answer its first read, and then what it weighs.

import { ReadCache } from '@stead/engine'
import { realWorld } from '@stead/world'
import { openStore, type Place } from '../place.ts'

/** What the process says, in this order. Times in milliseconds, sizes in bytes. */
export type ColdStartMessage =
  | { readonly type: 'ready'; readonly open: number; readonly load: number; readonly objects: number }
  | { readonly type: 'weight'; readonly resident: number; readonly heap: number }

const say = (message: ColdStartMessage) => process.send?.(message)

const started = realWorld.monotonic()
const store = await openStore(realWorld, JSON.parse(process.argv[2]!) as Place)
const opened = realWorld.monotonic()
const cache = new ReadCache({ store, world: realWorld })
await cache.start()
say({ type: 'ready', open: opened - started, load: realWorld.monotonic() - opened, objects: cache.size })

// Twice: what the first collection finalises, the second one frees.
for (let turn = 0; turn < 2; turn++) globalThis.gc?.()
const { rss, heapUsed } = process.memoryUsage()
say({ type: 'weight', resident: rss, heap: heapUsed })
await cache.stop()
await store.close()
