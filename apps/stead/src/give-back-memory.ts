import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Duration, millis, seconds, type World } from '@stead/world'

const lookEvery = seconds(2)
/** Of a core, by all threads since the last look. Ten thousand settled instances take less than a hundredth. */
const quietShare = 0.1
/**
 * After a burst. Collecting takes what the engine has learnt of our code along, and the next ten thousand requests cost
 * twice as much until it has learnt it again: not between two bursts.
 */
const quietAfterBurst = seconds(60)
/** What has been added since the last time is worth the while from here on. */
const worthwhile = { factor: 1.25, bytes: 16 * 2 ** 20 }
/** To collect so much at once takes a quarter of a second, in which nothing is answered. */
const mostAtOnce = 256 * 2 ** 20
/** V8 looks whether it is quiet every 8 s, and judges by the last two collections. */
const mostHints = 6

/** How the process stands, since it was last looked at. */
export interface Standing {
  /** Processor time of all threads, over the time that has passed. */
  readonly busyShare: number
  /** Since it was last busy, or looked at for the first time. */
  readonly quietFor: Duration
  /** Of the heap, with what is free in it. */
  readonly heapBytes: number
  /** The same when it had last been collected; 0 if it never was. */
  readonly keptBytes: number
  /** Given since it was last busy. */
  readonly hints: number
}

/**
 * What to do about memory now. A small heap is collected at once. Of a large one only what is young is, which takes a few
 * milliseconds and shows V8 that it is quiet: it then collects the rest itself, in steps between which others have a turn.
 */
export function decide({ busyShare, quietFor, heapBytes, keptBytes, hints }: Standing): 'leave' | 'collect' | 'hint' {
  if (isBusy(busyShare)) return 'leave'
  const wasCollected = keptBytes > 0
  if (wasCollected && quietFor < quietAfterBurst) return 'leave'
  if (wasCollected && heapBytes <= keptBytes * worthwhile.factor + worthwhile.bytes) return 'leave'
  if (heapBytes <= mostAtOnce) return 'collect'
  return hints < mostHints ? 'hint' : 'leave'
}

const isBusy = (share: number): boolean => share >= quietShare

/**
 * Gives memory back whenever it has become quiet: after the start, which loads our code and every object and has a first
 * look at each, and after a burst. V8 by itself keeps what these have made it take: it judges by how fast memory was used
 * when it last had to collect, and an idle process has not collected since.
 */
export function giveBackWhenQuiet(world: World): { stop(): void } {
  let keptBytes = 0
  let hints = 0
  let busyAt = world.monotonic()
  let last = { at: world.monotonic(), processor: processorMillis() }
  const look = () => {
    const now = { at: world.monotonic(), processor: processorMillis() }
    const busyShare = (now.processor - last.processor) / (now.at - last.at)
    if (isBusy(busyShare)) {
      hints = 0
      busyAt = now.at
    }
    const decision = decide({ busyShare, quietFor: millis(now.at - busyAt), heapBytes: heapBytes(), keptBytes, hints })
    if (decision === 'hint') {
      collect({ type: 'minor', execution: 'sync' })
      hints++
    }
    if (decision === 'collect') {
      collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
      keptBytes = heapBytes()
    }
    // What it took itself was not work.
    last = { at: world.monotonic(), processor: processorMillis() }
    timer = world.setTimer(lookEvery, look)
  }
  let timer = world.setTimer(lookEvery, look)
  return { stop: () => timer.cancel() }
}

const heapBytes = (): number => process.memoryUsage().heapTotal

function processorMillis(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** Node lends no other hand to ask for it. */
function collect(how: object): void {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as (how: object) => void
  setFlagsFromString('--no-expose-gc')
  gc(how)
}
