import { isoTime, millis, realWorld } from '@stead/world'
import { count } from '../harness/format.ts'
import { machineFacts } from '../harness/machine.ts'
import type { Options } from '../harness/options.ts'
import type { Report } from '../harness/report.ts'
import { inTurns, Samples } from '../harness/rounds.ts'
import type { Scratch } from '../harness/scratch.ts'
import { Estate } from './estate.ts'
import { findings } from './findings.ts'
import { fullLife, life, quickLife } from './life.ts'

/** The few with which one death is compared. */
const few = 100

/**
 * By how often each is measured: what takes a quarter of an hour is measured once. Many take longer to settle, too: the list that
 * shows, a minute after the last has moved, that no news was missed, is work of that move, and so is to give back the memory that
 * the move took, once the minute after that list was quiet.
 */
const fullRun = [
  { sizes: [100, 1_000], rounds: 1, ...fullLife },
  { sizes: [10_000], rounds: 3, ...fullLife, settling: millis(130_000) },
  { sizes: [100_000], rounds: 1, ...fullLife, undisturbed: false, settling: millis(180_000) },
]
const quickRun = [{ sizes: [100, 1_000, 10_000], rounds: 1, ...quickLife }]

/** `stead serve` and its simulated region, which is in a process of its own, with ever more instances. */
export async function convergeSuite(
  options: Options,
  scratch: Scratch,
  say: (progress: string) => void,
): Promise<Report> {
  const world = realWorld
  const facts = [['date', isoTime(world.now())] as const, ...machineFacts(scratch.directory)]
  const beside = await Estate.open(world, scratch)
  await beside.up(few)
  const samples = new Samples()
  const run = options.quick ? quickRun : fullRun
  for (const { sizes, rounds, ...course } of run) {
    const lives = sizes.map(size => life(world, scratch, { ...course, size, beside }))
    await inTurns(lives, rounds, (round, name) => say(`round ${round} of ${rounds}: ${name}`), samples)
  }
  await beside.close()
  return {
    title: 'Convergence on SQLite',
    facts: [
      ...facts,
      ['Stead', '`stead serve` with its defaults; instances are created and deleted over HTTP, by 64 clients'],
      ['cloud', 'simulated, default profile (launch 200 ms, boot 1 s), in a process of its own'],
      ['rounds', run.map(({ sizes, rounds }) => `${rounds} with ${sizes.map(count).join(', ')}`).join('; ')],
    ],
    ...findings(
      samples,
      run.flatMap(({ sizes }) => sizes),
    ),
    omitted: [],
    samples,
  }
}
