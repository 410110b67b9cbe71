import type { Chapter } from '../../../harness/chapter.ts'
import { milliseconds } from '../../../harness/format.ts'
import { Latencies } from '../../../harness/latencies.ts'
import { atMost, type Table } from '../../../harness/report.ts'
import type { Samples } from '../../../harness/rounds.ts'
import type { Fleet } from './fleet.ts'

const name = 'a node of three is killed'
const bar = 15_000

/** From the kill of a node's process to the moment other nodes have reconciled what was its work. */
export const takeoverChapter = (fleet: Pick<Fleet, 'kill'>): Chapter => ({
  measurements: [{ name, run: () => fleet.kill() }],
  conclude: samples => ({
    tables: [table(samples)],
    floors: [
      atMost({
        name: 'a node is killed, until others have reconciled every shard of it, p99',
        value: spread(samples, 'every').percentile(99),
        bar,
        show: milliseconds,
      }),
    ],
    losses: [],
  }),
})

const spread = (samples: Samples, field: string): Latencies => {
  const latencies = new Latencies()
  for (const time of samples.of(name, field)) latencies.record(time)
  return latencies
}

const table = (samples: Samples): Table => ({
  title: 'Takeover: a node is killed',
  columns: ['until others have reconciled', 'kills', 'p50', 'p99', 'slowest'],
  rows: [['a key of one of its shards', 'first'] as const, ['a key of each of its shards', 'every'] as const].map(
    ([what, field]) => {
      const times = spread(samples, field)
      const numbers = [times.percentile(50), times.percentile(99), times.worst]
      return [what, String(times.count), ...numbers.map(milliseconds)]
    },
  ),
  note: 'Three processes with the usual leases of 12 s, renewed every 4 s; killed at any moment between two renewals, with SIGKILL, and started anew at once.',
})
