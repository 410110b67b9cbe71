import type { World } from '@stead/world'
import type { Options } from '../../harness/options.ts'
import type { Scratch } from '../../harness/scratch.ts'
import type { Backend } from '../backend.ts'
import { openStore, type PostgresPlace } from '../place.ts'
import { SteadContender } from '../stead.ts'
import { Nodes } from './nodes.ts'
import { RawPostgresContender } from './raw.ts'
import { BenchServer } from './server.ts'
import { Fleet } from './takeover/fleet.ts'
import { takeoverChapter } from './takeover/takeover.ts'
import { openPolling, openTold, pollInterval } from './watched.ts'

const nodeCount = 3
/** Of what raw SQL does in batches. */
const bar = 0.5

/** Our store on PostgreSQL, with one node and with several, beside raw SQL on the same server. */
export async function startPostgres(
  world: World,
  scratch: Scratch,
  { quick }: Pick<Options, 'quick'>,
): Promise<Backend> {
  const server = await BenchServer.start(scratch)
  const places = {
    ours: await server.newPlace(),
    raw: await server.newPlace(),
    ourNodes: await server.newPlace(),
    rawNodes: await server.newPlace(),
    blindNodes: await server.newPlace(),
  }
  const ours = await new SteadContender(world, await openStore(world, places.ours)).start()
  const raw = await RawPostgresContender.start(world, places.raw)
  const startNodes = (by: 'Stead' | 'raw pg', place: PostgresPlace, follows = true) =>
    Nodes.start(scratch, { by, follows, place, count: nodeCount })
  const ourNodes = await startNodes('Stead', places.ourNodes)
  const rawNodes = await startNodes('raw pg', places.rawNodes)
  const blindNodes = await startNodes('raw pg', places.blindNodes, false)
  const fleet = new Fleet({ world, scratch, newPlace: () => server.newPlace() })
  const contenders = { ours, raw, ourNodes, rawNodes, blindNodes }
  return {
    name: 'PostgreSQL',
    facts: [['PostgreSQL', `${await server.version()} on this machine, its defaults, fsync on`]],
    contests: [
      { title: 'Durable commits, 1 node', ours, others: [{ contender: raw, bar }] },
      {
        title: `Durable commits, ${nodeCount} nodes`,
        ours: ourNodes,
        others: [{ contender: rawNodes, bar }, { contender: blindNodes }],
      },
    ],
    watched: [
      { between: 'from one node to another', bar: 150, open: () => openTold(world, server) },
      {
        between: 'from one node to another, without notifications',
        bar: pollInterval + 50,
        open: () => openPolling(world, server),
      },
    ],
    restartBar: 1_500,
    repeated: { chapter: takeoverChapter(fleet), times: quick ? 5 : 20 },
    omitted: [],
    newPlace: () => server.newPlace(),
    async close() {
      await fleet.close()
      await Promise.all(Object.values(contenders).map(contender => contender.close()))
      for (const name of Object.keys(places) as (keyof typeof places)[])
        await server.checkRows(contenders[name], places[name])
      await server.stop()
    },
  }
}
