import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryDirectory } from '@stead/testing'
import { SeededRandom } from '@stead/world'
import { expect, onTestFinished, test } from 'vitest'
import { replay } from '../conformance/fixture.suite.ts'
import { decodeEntry, decodeObject } from '../encoding.ts'
import type { LogEntry } from '../words/log.ts'
import { refKey } from '../words/object.ts'
import { StoreLock } from './lock.ts'
import { openForWriting } from './open.ts'
import { storePath } from './open-store.ts'
import { SqliteReader } from './reader.ts'
import { WritingProcess } from './tests/writing-process.ts'

const rounds = Number(process.env.STEAD_CRASH_ROUNDS ?? 50)

/** Opens what a dead process left, as the next one would, and reads all of it. */
function inspect(path: string, after: number) {
  const lock = StoreLock.take(path)
  const { database, identity } = openForWriting(path, { newStoreId: 'unused', witness: lock.witness() })
  try {
    const reader = new SqliteReader(database)
    const log: LogEntry[] = reader.log(after, Number.MAX_SAFE_INTEGER).map(decodeEntry)
    const objects = reader.objects(0, Number.MAX_SAFE_INTEGER).map(decodeObject)
    return { identity, head: reader.head(), log, objects, counters: reader.counters('') }
  } finally {
    database.close()
    lock.release()
  }
}

test(
  `kill -9 of a process that writes as fast as it can, ${rounds} times: nothing acknowledged is lost`,
  async () => {
    const place = temporaryDirectory()
    const [directory, compileCache] = [join(place, 'data'), join(place, 'cache')]
    mkdirSync(compileCache)
    const seed = Number(process.env.STEAD_CRASH_SEED ?? process.pid)
    const random = new SeededRandom(seed)
    const start = (writes = 0) => {
      const child = new WritingProcess({ directory, writers: 16, writes, compileCache })
      onTestFinished(() => child.kill())
      return child
    }
    // Only a process that ends by itself leaves its compile cache to the others.
    const first = start(1)
    first.go()
    await first.end()
    let next = start()
    let state = replay([])
    let head = 0
    let kills = 0
    for (let round = 0; round < rounds; round++) {
      const child = next
      await child.says('loaded')
      child.go()
      // The next one loads meanwhile, so that a round is short.
      next = start()
      const early = random.next() < 0.2
      if (!early) await child.says('acknowledged')
      await sleep(random.next() * 60)
      await child.kill()
      kills += 1
      const found = inspect(storePath(directory), head)
      const told = child.acknowledged()
      const context = `seed ${seed}, round ${round}`
      expect(
        found.log.map(({ revision }) => revision),
        context,
      ).toEqual(found.log.map((_, n) => head + 1 + n))
      for (const { revision, id } of told)
        expect(
          found.log[revision - head - 1]?.changes.map(({ object }) => object.id),
          context,
        ).toContain(id)
      head += found.log.length
      expect(found.head, context).toBe(head)
      state = replay(found.log, [...state.values()])
      expect(new Map(found.objects.map(object => [refKey(object), object])), context).toEqual(state)
      // Each commit moved it by one: a change-set that applied by half would show here.
      expect(found.counters[0]?.value ?? 0, context).toBe(head)
      expect(found.identity, context).toMatchObject({ epoch: 1, observeOnly: false })
    }
    await next.kill()
    expect(kills).toBe(rounds)
    expect(head).toBeGreaterThan(rounds)
  },
  60_000 + rounds * 2_000,
)
