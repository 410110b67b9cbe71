import { resolve } from 'node:path'
import type { LaunchSource, Provider } from '@stead/provider-kit'
import { detectLocal, local } from '@stead/provider-local'
import { isoTime, realWorld as world } from '@stead/world'
import { count, factor, milliseconds } from '../harness/format.ts'
import { machineFacts } from '../harness/machine.ts'
import type { Options } from '../harness/options.ts'
import { atMost, type Report } from '../harness/report.ts'
import { inTurns, type Measurement, type Samples } from '../harness/rounds.ts'
import type { Scratch } from '../harness/scratch.ts'
import { median, ratios } from '../harness/statistics.ts'
import { end, startByHand } from './by-hand.ts'
import { benchOwner, launchAndWatch, terminateAll } from './ours.ts'

const sizes = [1, 100]
const command = ['sh', '-c', 'echo up; exec sleep 600']
/** DESIGN's bars: this much on top of one by hand, and this many times as long for many. */
const bars = { oneMore: 25, manyTimes: 2 }

const source: LaunchSource = {
  type: 'services',
  kind: 'deployment',
  services: {
    main: {
      ...{ role: 'main', image: 'host', command, env: {}, secretEnv: {}, files: [], ports: [], volumes: [] },
      ...{ resources: {}, healthChecks: [], dependsOn: [], restart: 'never', stopGraceSeconds: 0 },
    },
  },
}

/** From a launch to running, beside bubblewrap started by hand, in turns. */
export async function localSuite(options: Options, scratch: Scratch, say: (progress: string) => void): Promise<Report> {
  const detected = await detectLocal()
  if (detected.missing.full) throw new Error(`this measures full isolation: ${detected.missing.full}`)
  const facts: [string, string][] = [['date', isoTime(world.now())], ...machineFacts(scratch.directory)]
  const provider = await local.connect({
    configuration: {
      directory: resolve(scratch.newDirectory('region')),
      isolation: 'full',
      forbidden: { paths: [], ports: [] },
    },
    credentials: {},
    owner: benchOwner,
    world,
  })
  try {
    await provider.catalog() // the first call starts the supervisor
    const rounds = options.quick ? 5 : 15
    const measurements = sizes.flatMap(size => [byHand(size), ours(provider, size)])
    await inTurns(measurements, 1, (_, name) => say(`warming up: ${name}`))
    const samples = await inTurns(measurements, rounds, (round, name) => say(`round ${round} of ${rounds}: ${name}`))
    return report([...facts, ['rounds', String(rounds)], ['limits', detected.limits.cgroups]], samples)
  } finally {
    await provider.close()
  }
}

const nameOf = (who: 'by hand' | 'local', size: number) => `${who}, ${count(size)}`

const byHand = (size: number): Measurement => ({
  name: nameOf('by hand', size),
  async run() {
    const start = world.monotonic()
    const children = await Promise.all(Array.from({ length: size }, () => startByHand(command)))
    const millis = world.monotonic() - start
    await Promise.all(children.map(end))
    return { millis }
  },
})

const ours = (provider: Provider, size: number): Measurement => ({
  name: nameOf('local', size),
  async run() {
    const { millis, ids } = await launchAndWatch(world, provider, source, size)
    await terminateAll(world, provider, ids)
    return { millis }
  },
})

function report(facts: readonly (readonly [string, string])[], samples: Samples): Report {
  const times = (who: 'by hand' | 'local', size: number) => samples.of(nameOf(who, size), 'millis')
  const row = (who: 'by hand' | 'local', size: number) => {
    const found = times(who, size)
    return [nameOf(who, size), ...[median(found), Math.min(...found), Math.max(...found)].map(milliseconds)]
  }
  const more = times('local', 1).map((millis, round) => millis - times('by hand', 1)[round]!)
  return {
    title: 'Local instances',
    facts,
    tables: [
      {
        title: 'From launch to running',
        columns: ['', 'median', 'fastest round', 'slowest round'],
        rows: sizes.flatMap(size => [row('by hand', size), row('local', size)]),
        note: 'By hand: bubblewrap with the same namespaces, until the command has printed. Local: from the call until a watcher sees it running; that includes durable intent, limits, a user of its own, a system call filter and a log.',
      },
    ],
    floors: [
      atMost({ name: '1 launch, on top of by hand', value: median(more), bar: bars.oneMore, show: milliseconds }),
      atMost({
        name: '100 launches together, beside by hand',
        value: median(ratios(times('local', 100), times('by hand', 100))),
        bar: bars.manyTimes,
        show: factor,
      }),
    ],
    losses: [],
    omitted: [],
    samples,
  }
}
