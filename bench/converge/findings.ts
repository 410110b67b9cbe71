import type { Findings } from '../harness/chapter.ts'
import { count, factor, kilobytes, milliseconds } from '../harness/format.ts'
import { atMost, type Floor, type Table } from '../harness/report.ts'
import type { Samples } from '../harness/rounds.ts'
import { median } from '../harness/statistics.ts'
import { lifeOf } from './life.ts'

/** DESIGN's bars. Times in milliseconds, sizes in bytes. */
const bars = { running: 20_000, growth: 1.2, start: 1_500, memory: 10_000, idleShare: 0.01, idleEntries: 0 }

/** The bars that name a number of instances name this one. */
const named = 10_000
/** What cost is compared with: of fewer, most is what any number costs. */
const base = 1_000

const seconds = (value: number): string => `${(value / 1_000).toFixed(1)} s`
const perMille = (share: number): string => `${(share * 100).toFixed(2)} %`
const number = (value: number): string => value.toFixed(2)

/** What the lives of so many say. */
export function findings(samples: Samples, sizes: readonly number[]): Findings {
  const of = (size: number, field: string) => median(samples.of(lifeOf(size), field))
  return { tables: tables(of, sizes), floors: floors(of, sizes), losses: [] }
}

type Of = (size: number, field: string) => number

function tables(of: Of, sizes: readonly number[]): Table[] {
  const rows = (cells: (size: number) => readonly string[]) => sizes.map(size => [count(size), ...cells(size)])
  const way = (name: 'up' | 'down') =>
    rows(size => [
      seconds(of(size, `${name}Elapsed`)),
      milliseconds(of(size, `${name}Elapsed`) / size),
      milliseconds(of(size, `${name}Processor`)),
      number(of(size, `${name}Entries`)),
    ])
  const columns = ['instances', 'time', 'each', 'processor each', 'log entries each']
  return [
    {
      title: 'From nothing to running',
      columns: [...columns, 'taken by the host'],
      rows: way('up').map((row, index) => [...row, perMille(of(sizes[index]!, 'upStolen'))]),
      note: 'From the first create sent until a list shows the last as running. A log entry is a commit that changed something; what many servers are seen to do at once shares one. Processor: all threads of `stead serve`.',
    },
    { title: 'Back to nothing', columns, rows: way('down'), note: 'Until nothing is in the cloud and in no list.' },
    {
      title: 'Settled',
      columns: [
        'instances',
        'log entries',
        'of a core',
        'after a restart',
        'memory each',
        '`stead serve` listens after',
      ],
      rows: rows(size => [
        count(of(size, 'idleEntries')),
        perMille(of(size, 'idleShare')),
        perMille(of(size, 'restartedShare')),
        kilobytes(of(size, 'memory')),
        milliseconds(of(size, 'start')),
      ]),
      note: 'Memory: resident, of a Stead that was started with them, less what it is without any.',
    },
    {
      title: 'The death of one server',
      columns: [
        'instances',
        'processor',
        'the same with few',
        'until its tenant sees it',
        'the same with few',
        'log entries',
      ],
      rows: rows(size => [
        milliseconds(of(size, 'deathProcessor')),
        milliseconds(of(size, 'deathProcessorBeside')),
        milliseconds(of(size, 'deathElapsed')),
        milliseconds(of(size, 'deathElapsedBeside')),
        number(of(size, 'deathEntries')),
      ]),
      note: 'One at a time, in turns with another Stead that has a hundred.',
    },
  ]
}

function floors(of: Of, sizes: readonly number[]): Floor[] {
  const largest = sizes.at(-1)!
  const many = sizes.includes(named) ? named : largest
  const few = sizes.includes(base) ? base : sizes[0]!
  const growth = (field: string) => of(largest, field) / of(few, field)
  const settled = `${count(many)} settled`
  return [
    atMost({
      name: `${count(many)} from nothing to running`,
      value: of(many, 'upElapsed'),
      bar: bars.running,
      show: seconds,
    }),
    ...(['up', 'down'] as const).map(way =>
      atMost({
        name: `processor each, ${way === 'up' ? 'to running' : 'to nothing'}, ${count(largest)} beside ${count(few)}`,
        value: growth(`${way}Processor`),
        bar: bars.growth,
        show: factor,
      }),
    ),
    atMost({
      name: `processor of a server event, ${count(largest)} beside 100`,
      value: of(largest, 'deathProcessor') / of(largest, 'deathProcessorBeside'),
      bar: bars.growth,
      show: factor,
    }),
    atMost({ name: `${settled}: log entries`, value: of(many, 'idleEntries'), bar: bars.idleEntries, show: count }),
    atMost({ name: `${settled}: of a core`, value: of(many, 'idleShare'), bar: bars.idleShare, show: perMille }),
    atMost({ name: `stead serve with ${count(many)}`, value: of(many, 'start'), bar: bars.start, show: milliseconds }),
    ...[...new Set([many, largest])].map(size =>
      atMost({
        name: `memory each, with ${count(size)}`,
        value: of(size, 'memory'),
        bar: bars.memory,
        show: kilobytes,
      }),
    ),
  ]
}
