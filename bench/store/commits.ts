import type { Chapter } from '../harness/chapter.ts'
import { factor, milliseconds, perSecond } from '../harness/format.ts'
import { atLeast, type Floor, type Table } from '../harness/report.ts'
import type { Measurement, Samples } from '../harness/rounds.ts'
import { median, ratios } from '../harness/statistics.ts'
import type { Contender, Load } from './contender.ts'

export interface Contest {
  readonly title: string
  readonly ours: Contender
  /** A contender and, if there is a bar, the share of its rate that ours must reach at the highest number of writers. */
  readonly others: readonly { readonly contender: Contender; readonly bar?: number }[]
  readonly loads: readonly Load[]
}

/** Durable commits a second, ours beside others', at several numbers of writers. */
export function commitChapter(contest: Contest): Chapter {
  const pairs = entriesOf(contest)
  return {
    measurements: measurementsOf(pairs),
    conclude: samples => ({
      tables: [table(contest, pairs, samples)],
      floors: floors(contest, samples),
      losses: losses(contest, pairs, samples),
    }),
  }
}

/** The same measurements, each cut short: enough for the compiler to have seen the code. */
export const commitWarmUp = (contests: readonly Contest[], duration: Load['duration']): Measurement[] =>
  contests.flatMap(contest =>
    measurementsOf(entriesOf({ ...contest, loads: contest.loads.map(load => ({ ...load, duration })) })),
  )

interface Entry {
  readonly contender: Contender
  readonly load: Load
}

const nameOf = ({ contender, load }: Entry): string =>
  `${load.operation} by ${contender.name}, ${load.writers === 1 ? '1 writer' : `${load.writers} writers`}`

/** All contenders at one load are next to each other in time, for the fairest ratio. */
const entriesOf = ({ ours, others, loads }: Contest): Entry[] =>
  loads.flatMap(load =>
    [ours, ...others.map(({ contender }) => contender)]
      .filter(({ operations }) => operations.includes(load.operation))
      .map(contender => ({ contender, load })),
  )

const measurementsOf = (entries: readonly Entry[]): Measurement[] =>
  entries.map(entry => ({ name: nameOf(entry), run: () => entry.contender.write(entry.load) }))

const ratesOf = (samples: Samples, entry: Entry): number[] => samples.of(nameOf(entry), 'rate')

/** Ours against another's, round by round. */
const ratioTo = ({ ours }: Contest, samples: Samples, entry: Entry): number =>
  median(ratios(ratesOf(samples, { ...entry, contender: ours }), ratesOf(samples, entry)))

const table = (contest: Contest, entries: readonly Entry[], samples: Samples): Table => ({
  title: contest.title,
  columns: ['write', 'writers', 'by', 'median', 'slowest round', 'ours is', 'p50', 'p99'],
  rows: entries.map(entry => [
    entry.load.operation,
    String(entry.load.writers),
    entry.contender.name,
    perSecond(median(ratesOf(samples, entry))),
    perSecond(Math.min(...ratesOf(samples, entry))),
    entry.contender === contest.ours ? '' : factor(ratioTo(contest, samples, entry)),
    milliseconds(median(samples.of(nameOf(entry), 'p50'))),
    milliseconds(median(samples.of(nameOf(entry), 'p99'))),
  ]),
  note: 'put: one object of about 1 KB changes. create: an object, the key of its name, two counters and an event.',
})

function floors(contest: Contest, samples: Samples): Floor[] {
  const most = Math.max(...contest.loads.map(({ writers }) => writers))
  return contest.others.flatMap(({ contender, bar }) =>
    (bar === undefined ? [] : contest.loads)
      .filter(({ operation, writers }) => writers === most && contender.operations.includes(operation))
      .map(load =>
        atLeast({
          name: `${load.operation}, ${most} writers, beside ${contender.name}`,
          value: ratioTo(contest, samples, { contender, load }),
          bar: bar!,
          show: factor,
        }),
      ),
  )
}

const losses = (contest: Contest, entries: readonly Entry[], samples: Samples): string[] =>
  entries
    .filter(entry => entry.contender !== contest.ours && ratioTo(contest, samples, entry) < 1)
    .map(entry => `${nameOf(entry)}: ours does ${factor(ratioTo(contest, samples, entry))} of it`)
