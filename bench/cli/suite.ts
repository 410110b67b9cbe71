import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { isoTime, realWorld as world } from '@stead/world'
import { SteadProgram } from '../api/stead/program.ts'
import { milliseconds } from '../harness/format.ts'
import { machineFacts } from '../harness/machine.ts'
import type { Options } from '../harness/options.ts'
import { atMost, type Report } from '../harness/report.ts'
import { inTurns, type Measurement, type Samples } from '../harness/rounds.ts'
import type { Scratch } from '../harness/scratch.ts'
import { median } from '../harness/statistics.ts'

const main = fileURLToPath(new URL('../../apps/stead/src/main.js', import.meta.url))

/** What issue and docs promise of help: nobody waits for it. */
const helpBar = 200
const bare = 'node -e 0'
const help = 'stead --help'

/** From before the process exists until it has ended, beside Node that does nothing. */
export async function cliSuite(options: Options, scratch: Scratch, say: (progress: string) => void): Promise<Report> {
  const facts: [string, string][] = [['date', isoTime(world.now())], ...machineFacts(scratch.directory)]
  const data = scratch.newDirectory('cli')
  const stead = await SteadProgram.start(world, scratch, { data, flags: ['--simulated-region'] })
  const env = { ...process.env, STEAD_URL: `http://127.0.0.1:${stead.port}`, STEAD_TOKEN: stead.adminToken }
  const command = (name: string, ...args: string[]): Measurement => ({ name, run: () => runOnce(args, env) })
  try {
    const measurements = [
      command(bare, '-e', '0'),
      command(help, main, '--help'),
      command('stead run --help', main, 'run', '--help'),
      command('stead ps', main, 'ps'),
    ]
    const rounds = options.quick ? 5 : 25
    await inTurns(measurements, 2, (_, name) => say(`warming up: ${name}`))
    const samples = await inTurns(measurements, rounds, (round, name) => say(`round ${round} of ${rounds}: ${name}`))
    return report([...facts, ['rounds', String(rounds)]], measurements, samples)
  } finally {
    await stead.stop()
  }
}

async function runOnce(args: readonly string[], env: NodeJS.ProcessEnv): Promise<{ millis: number }> {
  const began = world.monotonic()
  await promisify(execFile)(process.execPath, args, { env })
  return { millis: world.monotonic() - began }
}

function report(
  facts: readonly (readonly [string, string])[],
  measurements: readonly Measurement[],
  samples: Samples,
): Report {
  const row = ({ name }: Measurement) => {
    const times = samples.of(name, 'millis')
    return [name, ...[median(times), Math.min(...times), Math.max(...times)].map(milliseconds)]
  }
  return {
    title: 'Commands',
    facts,
    tables: [
      {
        title: 'From typing to the prompt',
        columns: ['', 'median', 'fastest round', 'slowest round'],
        rows: measurements.map(row),
        note: '`stead ps` asks a Stead that runs beside it on the same cores.',
      },
    ],
    floors: [atMost({ name: help, value: median(samples.of(help, 'millis')), bar: helpBar, show: milliseconds })],
    losses: [],
    omitted: [],
    samples,
  }
}
