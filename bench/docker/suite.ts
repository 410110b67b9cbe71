import { docker } from '@stead/provider-docker'
import { missing } from '@stead/testing/backends'
import { ContainerEngine, dockerEngine } from '@stead/testing/engines'
import { isoTime, realWorld as world } from '@stead/world'
import { milliseconds } from '../harness/format.ts'
import { machineFacts } from '../harness/machine.ts'
import type { Options } from '../harness/options.ts'
import { atMost, type Report } from '../harness/report.ts'
import { inTurns, type Measurement, type Samples } from '../harness/rounds.ts'
import type { Scratch } from '../harness/scratch.ts'
import { median } from '../harness/statistics.ts'
import { benchOwner } from '../local/ours.ts'
import { bareRun, composed, findCompose, sameByHand, type Way } from './by-hand.ts'
import { ours } from './ours.ts'

const command = ['sleep', '600']
/** DESIGN's bar: this much on top of one by hand. */
const bar = 30
/** What somebody removed is to be noticed within this. */
const noticedWithin = 1_000

const names = {
  byHand: 'network create + docker run',
  bare: 'docker run in a network that is there',
  compose: 'docker compose up',
  ours: 'docker region',
} as const

/** From a launch to running and to the first command run inside, beside the same typed by hand, in turns. */
export async function dockerSuite(
  options: Options,
  scratch: Scratch,
  say: (progress: string) => void,
): Promise<Report> {
  const why = missing('docker')
  if (why) throw new Error(`${why.reason}. To help: ${why.remedy}`)
  const facts: [string, string][] = [['date', isoTime(world.now())], ...machineFacts(scratch.directory)]
  const engine = await ContainerEngine.start(dockerEngine)
  const provider = await docker.connect({
    configuration: { endpoint: engine.endpoint, pull: 'never' },
    credentials: {},
    owner: benchOwner,
    world,
  })
  try {
    const { Version } = await engine.call<{ Version: string }>('GET', '/version')
    const rounds = options.quick ? 5 : 50
    const compose = findCompose()
    const measurements = [
      byHand(names.byHand, sameByHand(engine)),
      byHand(names.bare, await bareRun(engine)),
      ...(compose ? [byHand(names.compose, composed(engine, compose, scratch.directory))] : []),
      ours(names.ours, provider, engine, command),
    ]
    await inTurns(measurements, 1, (_, name) => say(`warming up: ${name}`))
    const samples = await inTurns(measurements, rounds, (round, name) => say(`round ${round} of ${rounds}: ${name}`))
    return report([...facts, ['rounds', String(rounds)], ['engine', `Docker ${Version}`]], samples, compose)
  } finally {
    await provider.close()
    await engine.close()
  }
}

const byHand = (name: string, way: Way): Measurement => {
  let number = 0
  return {
    name,
    async run() {
      const container = `${name.replaceAll(/\W+/g, '-')}-${++number}`
      const start = world.monotonic()
      await way.start(container, command)
      const running = world.monotonic() - start
      await way.exec(container)
      const entered = world.monotonic() - start
      await way.remove(container)
      return { running, entered }
    },
  }
}

const percentile = (values: readonly number[], percent: number): number =>
  values.toSorted((a, b) => a - b)[Math.ceil((values.length * percent) / 100) - 1]!

const what = {
  running: 'running',
  entered: 'first command run inside',
  noticed: 'container removed by somebody: noticed',
} as const

function report(
  facts: readonly (readonly [string, string])[],
  samples: Samples,
  compose: readonly string[] | undefined,
): Report {
  const row = (name: string, field: keyof typeof what) => {
    const found = samples.of(name, field)
    const all = [percentile(found, 50), percentile(found, 95), Math.max(...found)]
    return [`${name}: ${what[field]}`, ...all.map(milliseconds)]
  }
  const more = (than: string, field: 'running' | 'entered') => {
    const other = samples.of(than, field)
    return median(samples.of(names.ours, field).map((millis, round) => millis - other[round]!))
  }
  const onTop = (field: 'running' | 'entered') => {
    const slow = (name: string) => percentile(samples.of(name, field), 95)
    return Object.entries({ p50: more(names.byHand, field), p95: slow(names.ours) - slow(names.byHand) }).map(
      ([which, value]) =>
        atMost({ name: `${what[field]}, ${which} on top of the same by hand`, value, bar, show: milliseconds }),
    )
  }
  const toBare = more(names.bare, 'running')
  const measured = Object.values(names).filter(name => name !== names.compose || compose)
  return {
    title: 'Containers',
    facts,
    tables: [
      {
        title: 'From launch to running, and to the first command run inside',
        columns: ['', 'p50', 'p95', 'slowest'],
        rows: [
          ...(['running', 'entered'] as const).flatMap(field => measured.map(name => row(name, field))),
          row(names.ours, 'noticed'),
        ],
        note: 'By hand: the docker command, with the same rights, limits, log and labels, and `docker exec`. The region: from the call until a watcher sees it running; that includes its record, and a network of its own.',
      },
    ],
    floors: [
      ...onTop('running'),
      ...onTop('entered'),
      atMost({
        name: what.noticed,
        value: Math.max(...samples.of(names.ours, 'noticed')),
        bar: noticedWithin,
        show: milliseconds,
      }),
    ],
    losses:
      toBare > 0
        ? [`a container in a network that is there already runs ${milliseconds(toBare)} earlier: ours has its own`]
        : [],
    omitted: compose ? [] : ['docker compose: it is not installed (`apt-get install docker-compose`)'],
    samples,
  }
}
