// A node that writes, as a process of its own. Argument: a WritingNode as JSON.
import { realWorld } from '@stead/world'
import type { Sample } from '../../harness/rounds.ts'
import type { Acknowledged, Load } from '../contender.ts'
import { openStore, type PostgresPlace } from '../place.ts'
import { SteadContender } from '../stead.ts'
import { Workload } from '../workload.ts'
import { RawPostgresContender, type RawShare } from './raw.ts'

export interface WritingNode {
  readonly by: 'Stead' | 'raw pg'
  readonly place: PostgresPlace
  readonly share: RawShare
}

export type NodeRequest = { readonly type: 'write'; readonly load: Load } | { readonly type: 'close' }
export type NodeAnswer = { readonly type: 'ready' } | { readonly type: 'sample'; readonly sample: Sample }
/** With every answer. */
export type Answered = NodeAnswer & { readonly acknowledged: Acknowledged }

const { by, place, share } = JSON.parse(process.argv[2]!) as WritingNode

const contender =
  by === 'Stead'
    ? await new SteadContender(
        realWorld,
        await openStore(realWorld, place),
        new Workload(realWorld, share.names),
      ).start()
    : await RawPostgresContender.start(realWorld, place, share)

const say = (answer: NodeAnswer) =>
  process.send!({ ...answer, acknowledged: contender.acknowledged } satisfies Answered)

process.on('message', async (request: NodeRequest) => {
  if (request.type === 'write') say({ type: 'sample', sample: await contender.write(request.load) })
  else {
    await contender.close()
    process.disconnect()
  }
})
say({ type: 'ready' })
