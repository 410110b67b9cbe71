import { type LogLine, type LogRequest, type Provider, ProviderError } from '@stead/provider-kit'
import { millis, seconds, VirtualWorld, type World } from '@stead/world'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LogReads, type LogStart } from './log-reads.ts'

/** A log that prints at any pace, whose reads break off now and then, and which is gone in the end. */
class PrintedLog {
  readonly #world: VirtualWorld
  readonly #lines: LogLine[] = []
  readonly #wakes = new Set<() => void>()
  #isGone = false
  following = 0
  mostFollowing = 0

  constructor(world: VirtualWorld) {
    this.#world = world
  }

  get length(): number {
    return this.#lines.length
  }

  async print(count: number, within: number): Promise<void> {
    for (let number = 0; number < count; number++) {
      if (this.#world.chance.next() < 0.3)
        await this.#world.sleep(seconds((this.#world.chance.next() * within) / count))
      const cursor = String(this.#lines.length)
      this.#lines.push({ at: this.#world.now(), service: 'web', stream: 'stdout', line: cursor, cursor })
      this.#wake()
    }
    this.#isGone = true
    this.#wake()
  }

  readonly provider = { logs: (_: string, request: LogRequest) => this.#read(request) } as unknown as Provider

  async *#read({ after, tail, follow }: LogRequest): AsyncGenerator<LogLine> {
    await this.#world.sleep(seconds(this.#world.chance.next() * 0.05))
    let next =
      after === undefined ? Math.max(0, this.#lines.length - (tail ?? Number.POSITIVE_INFINITY)) : Number(after) + 1
    if (follow) this.mostFollowing = Math.max(this.mostFollowing, ++this.following)
    try {
      for (;;) {
        for (; next < this.#lines.length; next++) {
          if (follow && this.#world.chance.next() < 0.001) throw new ProviderError('Unavailable', 'connection reset')
          yield this.#lines[next]!
        }
        if (!follow || this.#isGone) return
        await new Promise<void>(resolve => this.#wakes.add(resolve))
      }
    } finally {
      if (follow) this.following--
    }
  }

  #wake(): void {
    for (const wake of this.#wakes) wake()
    this.#wakes.clear()
  }
}

/** Reads at its own pace. Answers the numbers of the lines it saw, and the one it should have begun with. */
async function readAll(world: VirtualWorld, reads: LogReads, log: PrintedLog, start: LogStart, pause: number) {
  await world.sleep(seconds(world.chance.next() * 2))
  const server = { id: 'srv', backendId: 'x', provider: async () => log.provider }
  const request = { server, service: 'web', signal: new AbortController().signal }
  const begun = await reads.begin(request, start)
  const least = log.length
  const seen: number[] = []
  await reads.follow(request, begun, {
    take({ lines }) {
      seen.push(...lines.map(({ line }) => Number(line)))
      return pause === 0 || world.chance.next() >= 0.2
    },
    room: () => world.sleep(seconds(world.chance.next() * pause)),
  })
  return { seen, least }
}

/** As it looks to one who has worked so many milliseconds by each time it looks: not everything is sent in one turn. */
function withEffort(world: VirtualWorld, effort: number): World {
  let worked = 0
  return {
    now: () => world.now(),
    monotonic() {
      worked += effort
      return millis(world.monotonic() + worked)
    },
    setTimer: (delay, fire) => world.setTimer(delay, fire),
    sleep: (delay, signal) => world.sleep(delay, signal),
    random: () => world.random(),
    randomBytes: length => world.randomBytes(length),
  }
}

test('every follower sees each line once, in order, however slow it is and whatever breaks', () =>
  fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1 }),
      fc.array(fc.constantFrom(0, 0.01, 3), { minLength: 1, maxLength: 6 }),
      fc.constantFrom(0, 0.4, 2),
      async (seed, pauses, sendTime) => {
        const world = new VirtualWorld({ seed })
        const log = new PrintedLog(world)
        const reads = new LogReads(withEffort(world, sendTime))
        const printing = log.print(6_000, 60)
        const readers = pauses.map((pause, index) =>
          readAll(world, reads, log, index % 2 === 0 ? {} : { tail: 0 }, pause),
        )
        const [, ...all] = await world.run(Promise.all([printing, ...readers]))
        for (const [index, { seen, least }] of all.entries()) {
          const first = index % 2 === 0 ? 0 : (seen[0] ?? 6_000)
          expect(first).toBeLessThanOrEqual(index % 2 === 0 ? 0 : least)
          expect(seen).toEqual(Array.from({ length: 6_000 - first }, (_, number) => first + number))
        }
        // Shared by all; one that was just left may still be closing when the next begins.
        expect(log.mostFollowing).toBeLessThanOrEqual(2)
        expect([reads.size, log.following]).toEqual([0, 0])
      },
    ),
    { numRuns: 20 },
  ))
