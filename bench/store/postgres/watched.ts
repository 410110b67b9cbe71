import { openPostgresStore, type PostgresStore } from '@stead/engine'
import { PostgresProxy } from '@stead/testing/postgres'
import { millis, type World } from '@stead/world'
import type { WatchedPair } from '../watch.ts'
import type { BenchServer } from './server.ts'

/** How often a node looks while something happens and nobody tells it, in milliseconds: see the store's follower. */
export const pollInterval = 50

/** Two nodes that tell each other of their commits. */
export async function openTold(world: World, server: BenchServer): Promise<WatchedPair> {
  const { url } = await server.newPlace()
  const writer = await openPostgresStore({ url, world })
  const watched = await openPostgresStore({ url, world })
  await until(world, () => watched.describe().notifications === 'working')
  return { writer, watched, close: () => closeAll(writer, watched) }
}

/** The same, but what is told does not arrive at the one that is watched: as behind a pooler. */
export async function openPolling(world: World, server: BenchServer): Promise<WatchedPair> {
  const { url } = await server.newPlace()
  const proxy = await PostgresProxy.start(server.cluster)
  // 'A': a notification.
  proxy.fromServer = ({ type }) => (type === 'A' ? 'drop' : 'pass')
  const writer = await openPostgresStore({ url, world })
  const watched = await openPostgresStore({ url: proxy.through(url), world })
  await until(world, () => watched.describe().notifications === 'swallowed')
  return {
    writer,
    watched,
    async close() {
      await closeAll(writer, watched)
      await proxy.stop()
    },
  }
}

const closeAll = async (...stores: readonly PostgresStore[]) => {
  await Promise.all(stores.map(store => store.close()))
}

async function until(world: World, isSo: () => boolean): Promise<void> {
  const deadline = world.monotonic() + 10_000
  while (!isSo()) {
    if (world.monotonic() > deadline) throw new Error('the nodes did not find out whether they hear each other')
    await world.sleep(millis(20))
  }
}
