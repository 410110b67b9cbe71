import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandPath, temporaryDirectory, testWith } from '@stead/testing'
import { realWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { readAll, take } from '../conformance/fixture.suite.ts'
import { openSqliteStore } from './open-store.ts'
import { acknowledgedTooEarly, readTrace } from './tests/trace.ts'
import { WritingProcess } from './tests/writing-process.ts'

/** One writer, one write after another, traced: each acknowledgement then stands alone among the calls. */
async function trace(directory: string, writes: number, ...options: string[]) {
  const output = join(directory, 'trace')
  const compileCache = join(directory, 'cache')
  mkdirSync(compileCache)
  const strace = commandPath('strace', 'strace')
  const calls = ['-f', '-y', '-qq', '-e', 'trace=write,pwrite64,fdatasync,fsync']
  const under = [strace, ...calls, ...options, '-o', output]
  const child = new WritingProcess({ directory: join(directory, 'data'), writers: 1, writes, compileCache, under })
  child.go()
  await child.end()
  return { child, events: readTrace(readFileSync(output, 'utf8')) }
}

testWith('strace', 'the log is synced before a write is acknowledged, each time', async () => {
  const { child, events } = await trace(temporaryDirectory(), 60)
  expect(child.acknowledged()).toHaveLength(60)
  expect(events.filter(({ type }) => type === 'acknowledged')).toHaveLength(60)
  expect(acknowledgedTooEarly(events)).toEqual([])
})

testWith(
  'strace',
  'a disk that fails to sync ends the store, and what was not synced is not acknowledged',
  async () => {
    const directory = temporaryDirectory()
    // Counted for each thread: the writer's own 20th sync and all after it.
    const { child, events } = await trace(directory, 60, '-e', 'inject=fsync,fdatasync:error=EIO:when=20+')
    const failed = events.findIndex(({ type }) => type === 'sync failed')
    expect(failed).toBeGreaterThan(0)
    expect(events.slice(failed).filter(({ type }) => type === 'acknowledged')).toEqual([])
    expect(child.said.some(line => line.startsWith('failed') && line.includes('failed to sync'))).toBe(true)
    const acknowledged = child.acknowledged()
    expect(acknowledged.length).toBeGreaterThan(5)
    const store = await openSqliteStore({ directory: join(directory, 'data'), world: realWorld })
    const entries = await take(store, 0, acknowledged.length)
    for (const { revision, id } of acknowledged)
      expect(entries[revision - 1]!.changes.map(({ object }) => object.id)).toContain(id)
    expect((await readAll(store)).revision).toBeGreaterThanOrEqual(acknowledged.length)
    await store.close()
  },
)

const wal = '21</data/stead.db-wal>'
const write = (thread: number) => `${thread} pwrite64(${wal}, "..."..., 4096, 32) = 4096`
const ack = (revision: number) => `7  write(1<pipe:[1]>, "acknowledged ${revision} a\\n", 18) = 18`

test('a trace without the sync, or with it too late, is told from a good one', () => {
  const sync = `9 fdatasync(${wal}) = 0`
  const begun = `9 fdatasync(${wal} <unfinished ...>`
  const done = '9 <... fdatasync resumed>) = 0'
  const judge = (...lines: string[]) => acknowledgedTooEarly(readTrace(lines.join('\n')))
  expect(judge(write(9), sync, ack(1), write(9), begun, done, ack(2))).toEqual([])
  expect(judge(write(9), ack(1))).toEqual([1])
  expect(judge(write(9), sync, write(9), ack(1))).toEqual([1])
  expect(judge(write(9), begun, ack(1), done)).toEqual([1])
  expect(judge(write(9), sync, ack(1), ack(2))).toEqual([2])
  expect(judge(write(9), `9 fdatasync(${wal}) = -1 EIO`, ack(1))).toEqual([1])
  expect(judge(write(9), '9 fdatasync(8</data/stead.db>) = 0', ack(1))).toEqual([1])
})
