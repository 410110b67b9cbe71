import assert from 'node:assert/strict'
import { millis } from '@stead/world'
import type { LogLine, LogRequest } from '../../groups/logs.ts'
import type { Bench } from '../bench.ts'
import { promises } from '../promise.ts'

/** Our own lines begin with this: a backend may print some of its own. */
const own = 'contract '

class Printer {
  readonly id: string
  readonly #bench: Bench
  #count = 0

  constructor(bench: Bench, id: string) {
    this.id = id
    this.#bench = bench
  }

  async print(count: number): Promise<string[]> {
    const lines = Array.from({ length: count }, () => `${own}${++this.#count}`)
    for (const line of lines) await this.#bench.fixture('logs').print(this.id, line)
    return lines
  }

  read(request: LogRequest = {}, signal?: AbortSignal): AsyncIterable<LogLine> {
    return this.#bench.provider.logs!(this.id, request, { signal })
  }

  /** Everything there is. Lines may take a moment to arrive. */
  async all(request: LogRequest, count: number): Promise<LogLine[]> {
    return this.#bench.eventually(`${count} lines`, async () => {
      const lines: LogLine[] = []
      for await (const line of this.read(request)) if (line.line.startsWith(own)) lines.push(line)
      return lines.length >= count ? lines : undefined
    })
  }

  /** Follows, noting every line. */
  async follow(request: LogRequest = {}) {
    const abort = new AbortController()
    const seen: LogLine[] = []
    const end = (async () => {
      for await (const line of this.read({ ...request, follow: true }, abort.signal))
        if (line.line.startsWith(own)) seen.push(line)
    })()
    end.catch(() => {})
    this.#bench.afterwards(async () => abort.abort(new Error('enough')))
    await this.#bench.world.sleep(millis(50))
    const upTo = (count: number) =>
      this.#bench.eventually(`${count} lines`, async () => seen.length >= count || undefined).then(() => texts(seen))
    return { seen, upTo, end, stop: () => abort.abort(new Error('enough')) }
  }
}

async function printer(bench: Bench): Promise<Printer> {
  const { id } = await bench.running({ source: bench.fixture('logs').source })
  return new Printer(bench, id)
}

const texts = (lines: readonly LogLine[]) => lines.map(({ line }) => line)

export const logPromises = promises(
  'logs',
  {
    async 'logs tell every line once, in order, with its time'(bench) {
      const log = await printer(bench)
      const before = bench.world.now()
      const printed = await log.print(5)
      const lines = await log.all({}, 5)
      assert.deepEqual(texts(lines), printed)
      for (const { at, stream } of lines) {
        assert.ok(at >= before - 1_000 && at <= bench.world.now() + 1_000, `printed at ${at}`)
        assert.ok(stream === 'stdout' || stream === 'stderr')
      }
    },

    async 'logs by tail are the last lines'(bench) {
      const log = await printer(bench)
      const printed = await log.print(6)
      await log.all({}, 6)
      assert.deepEqual(texts(await log.all({ tail: 2 }, 2)), printed.slice(-2))
    },

    async 'logs by since begin there'(bench) {
      const log = await printer(bench)
      await log.print(3)
      await bench.world.sleep(millis(1_100))
      const since = bench.world.now()
      await bench.world.sleep(millis(1_100))
      const printed = await log.print(2)
      assert.deepEqual(texts(await log.all({ since }, 2)), printed)
    },

    async 'logs by cursor go on after that line'(bench) {
      const log = await printer(bench)
      const printed = await log.print(5)
      const lines = await log.all({}, 5)
      assert.deepEqual(texts(await log.all({ after: lines[2]!.cursor }, 2)), printed.slice(3))
    },

    async 'a follower sees what was printed, and what is printed'(bench) {
      const log = await printer(bench)
      const first = await log.print(2)
      const follower = await log.follow()
      assert.deepEqual(await follower.upTo(2), first)
      const second = await log.print(2)
      assert.deepEqual(await follower.upTo(4), [...first, ...second])
    },

    async 'a follower loses and doubles no line across a restart'(bench) {
      const log = await printer(bench)
      const follower = await log.follow()
      const first = await log.print(3)
      await follower.upTo(3)
      await bench.provider.stop(log.id)
      await bench.until(log.id, 'stopped')
      await bench.provider.start(log.id)
      await bench.until(log.id, 'running')
      const second = await log.print(3)
      assert.deepEqual(await follower.upTo(6), [...first, ...second])
    },

    async 'a follower that reconnects by cursor loses and doubles no line'(bench) {
      const log = await printer(bench)
      const first = await log.follow()
      const before = await log.print(3)
      await first.upTo(3)
      first.stop()
      const between = await log.print(3)
      const second = await log.follow({ after: first.seen.at(-1)!.cursor })
      const after = await log.print(3)
      await second.upTo(6)
      assert.deepEqual([...texts(first.seen), ...texts(second.seen)], [...before, ...between, ...after])
    },

    async 'a slow reader does not hold up another'(bench) {
      const log = await printer(bench)
      const slow = log.read({ follow: true })[Symbol.asyncIterator]()
      bench.afterwards(async () => slow.return?.())
      const printUntil = (what: string, holds: () => boolean) =>
        bench.eventually(what, async () => {
          await log.print(1)
          return holds() || undefined
        })
      let begun = false
      void slow.next().then(() => {
        begun = true
      })
      await printUntil('the slow one to begin', () => begun)
      const quick = await log.follow({ tail: 0 })
      await printUntil('the quick one to begin', () => quick.seen.length > 0)
      const printed = await log.print(200)
      const last = printed.at(-1)
      await bench.eventually('the last line', async () => quick.seen.some(({ line }) => line === last) || undefined)
      assert.deepEqual(texts(quick.seen).slice(-200), printed)
    },

    async 'logs stay readable while a server is stopped'(bench) {
      const log = await printer(bench)
      const printed = await log.print(3)
      await log.all({}, 3)
      await bench.provider.stop(log.id)
      await bench.until(log.id, 'stopped')
      assert.deepEqual(texts(await log.all({}, 3)), printed)
    },

    async 'a long line comes whole, if in pieces'(bench) {
      const log = await printer(bench)
      const long = `${own}${'é'.repeat(50_000)} end`
      await bench.fixture('logs').print(log.id, long)
      const text = await bench.eventually('its end', async () => {
        let joined = ''
        for await (const { line } of log.read()) if (line.startsWith(own) || joined !== '') joined += line
        return joined.endsWith(' end') ? joined : undefined
      })
      assert.equal(text.length, long.length)
      assert.ok(text === long, 'it came back changed')
    },

    async 'a follower ends with its server'(bench) {
      const log = await printer(bench)
      const follower = await log.follow()
      await log.print(1)
      await follower.upTo(1)
      await bench.provider.terminate(log.id)
      await bench.within('its end', follower.end)
    },

    async 'cancelling a follower is prompt'(bench) {
      const log = await printer(bench)
      const follower = await log.follow()
      await log.print(1)
      await follower.upTo(1)
      follower.stop()
      const ended = follower.end.catch(() => 'cancelled')
      await bench.within('its end', ended, bench.subject.limits.cancel)
    },

    async 'logs of the never-seen are NotFound'(bench) {
      const read = async () => {
        for await (const _ of bench.provider.logs!('never-seen', {})) return
      }
      await bench.refused('its logs', read, 'NotFound')
    },
  },
  { 'cancelling a follower is prompt': 'alone' },
)
