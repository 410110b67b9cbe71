// A node that writes, as a process of its own. Argument: a WritingNode as JSON.
import { realWorld } from '@stead/world'
import type { Sample } from '../../harness/rounds.ts'
import type { Acknowledged, Load } from '../contender.ts'
import { openStore, type PostgresPlace } from '../place.ts'
import { SteadContender } from '../stead.ts'
import { Workload, type WorkloadOptions } from '../workload.ts'
import { RawPostgresContender } from './raw.ts'
import { RawFollower } from './raw-follower.ts'

export interface WritingNode {
  readonly by: 'Stead' | 'raw pg'
  /** Whether a raw one reads what all write. Ours always does. */
  readonly follows: boolean
  readonly place: PostgresPlace
  readonly workload: WorkloadOptions
}

export type NodeRequest = { readonly type: 'write'; readonly load: Load } | { readonly type: 'close' }
export type NodeAnswer = { readonly type: 'ready' } | { readonly type: 'sample'; readonly sample: Sample }
/** With every answer. */
export type Answered = NodeAnswer & { readonly acknowledged: Acknowledged }

const { by, follows, place, ...start } = JSON.parse(process.argv[2]!) as WritingNode
const workload = new Workload(realWorld, start.workload)

const contender =
  by === 'Stead'
    ? await new SteadContender(realWorld, await openStore(realWorld, place), workload).start()
    : await RawPostgresContender.start(realWorld, place, workload)

const follower = by === 'raw pg' && follows ? await RawFollower.start(realWorld, place) : undefined

const say = (answer: NodeAnswer) =>
  process.send!({ ...answer, acknowledged: contender.acknowledged } satisfies Answered)

process.on('message', async (request: NodeRequest) => {
  if (request.type === 'write') say({ type: 'sample', sample: await contender.write(request.load) })
  else {
    await Promise.all([contender.close(), follower?.close()])
    process.disconnect()
  }
})
say({ type: 'ready' })
