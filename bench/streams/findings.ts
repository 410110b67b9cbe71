import { count, factor, megabytes, milliseconds } from '../harness/format.ts'
import { atMost, type Report } from '../harness/report.ts'
import type { Samples } from '../harness/rounds.ts'
import { median } from '../harness/statistics.ts'
import { stolen } from '../harness/undisturbed.ts'
import type { StreamLoad } from './load.ts'

/** Issue's bars. */
const bars = { lineP99: 50, apiTimes: 2 }
/** A busy person at each terminal. */
export const typeEvery = 200
/** Reads of the API meanwhile: enough for a p99, and too few to be what is measured. */
export const readsPerSecond = 100
export const idle = 'idle'

/** What was measured, and which floors are passed. */
export function findings(samples: Samples, loads: readonly StreamLoad[]): Pick<Report, 'tables' | 'floors'> {
  const names = loads.map(({ name }) => name)
  const of = (name: string, field: string, show: (value: number) => string) => show(median(samples.of(name, field)))
  const cores = (value: number) => `${value.toFixed(2)} cores`
  // Not the median of each round's ratio: one idle round that the machine disturbed would make its ratio nearly nothing,
  // and the median the better half of what is left.
  const apiTimes = (name: string) => median(samples.of(name, 'apiP99')) / median(samples.of(idle, 'apiP99'))
  return {
    tables: [
      {
        title: 'The server',
        columns: ['', 'memory', 'processor', 'event loop lag p99', 'GET p50', 'GET p99', 'taken by the host'],
        rows: [idle, ...names].map(name => [
          ...[name, of(name, 'memory', megabytes), of(name, 'processor', cores)],
          ...['loopP99', 'apiP50', 'apiP99'].map(field => of(name, field, milliseconds)),
          of(name, stolen, cores),
        ]),
        note: `GET of an instance, ${readsPerSecond} a second, from when each was due. Where the host of a virtual machine kept much of it from us, the round was done again.`,
      },
      {
        title: 'What readers see',
        columns: ['', 'lines/s received', 'line p50', 'line p99', 'letter p50', 'letter p99', 'processor'],
        rows: names.map(name => [
          ...[name, of(name, 'linesPerSecond', count)],
          ...['lineP50', 'lineP99', 'echoP50', 'echoP99'].map(field => of(name, field, milliseconds)),
          of(name, 'readersProcessor', cores),
        ]),
        note: 'From when a process printed a line until a reader has it; from when a letter was sent until it comes back from the terminal. Each follower has seen every line once, in order, or there would be no result. The processor is what the readers take, on the same machine.',
      },
    ],
    floors: names.flatMap(name => [
      atMost({
        name: `${name}: line, p99`,
        value: median(samples.of(name, 'lineP99')),
        bar: bars.lineP99,
        show: milliseconds,
      }),
      atMost({ name: `${name}: GET p99, beside idle`, value: apiTimes(name), bar: bars.apiTimes, show: factor }),
    ]),
  }
}
