import { missing } from '@stead/testing/backends'
import type { World } from '@stead/world'
import type { Scratch } from '../../harness/scratch.ts'
import type { Backend } from '../backend.ts'
import { EtcdContender } from '../etcd/etcd.ts'
import { etcdVersion } from '../etcd/server.ts'
import { openStore, type SqlitePlace } from '../place.ts'
import { SteadContender } from '../stead.ts'
import { RawSqliteContender } from './raw.ts'
import { checkRows } from './rows.ts'

/** Our embedded store beside raw SQLite and, where it is installed, etcd. */
export async function startSqlite(world: World, scratch: Scratch): Promise<Backend> {
  const newPlace = async (name: string): Promise<SqlitePlace> => ({
    type: 'sqlite',
    directory: scratch.newDirectory(name),
  })
  const ourPlace = await newPlace('ours')
  const ours = await new SteadContender(world, await openStore(world, ourPlace)).start()
  const rawPlace = await newPlace('raw')
  const raw = await RawSqliteContender.start(world, rawPlace)
  const noEtcd = missing('etcd')
  const etcd = noEtcd ? undefined : await EtcdContender.start(world, scratch)
  const openWatched = async () => {
    const store = await openStore(world, await newPlace('watched'))
    return { writer: store, watched: store, close: () => store.close() }
  }
  return {
    name: 'SQLite',
    facts: [
      ['SQLite', `${process.versions.sqlite}, write-ahead log, synchronous=FULL`],
      ['etcd', noEtcd ? 'not here' : `${await etcdVersion()}, one member, its defaults`],
    ],
    contests: [
      {
        title: 'Durable commits',
        ours,
        others: [{ contender: raw, bar: 0.4 }, ...(etcd ? [{ contender: etcd, bar: 1 }] : [])],
      },
    ],
    watched: [{ bar: 20, open: openWatched }],
    restartBar: 1_000,
    omitted: noEtcd ? [`etcd (${noEtcd.reason}): ${noEtcd.remedy}`] : [],
    newPlace,
    async close() {
      await Promise.all([ours.close(), raw.close(), etcd?.close()])
      checkRows(ours, ourPlace)
      checkRows(raw, rawPlace)
    },
  }
}
