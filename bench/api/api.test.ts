import { temporaryDirectory } from '@stead/testing'
import { millis, realWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { inTurns } from '../harness/rounds.ts'
import { Scratch } from '../harness/scratch.ts'
import { BareFastify } from './bare/bare.ts'
import { HttpConnection } from './client/connection.ts'
import { headersOf } from './client/messages.ts'
import { mustBeDone } from './contender.ts'
import { requestChapter } from './requests.ts'
import { Stead } from './stead/stead.ts'

test('both servers answer the same bytes, and Stead holds what it acknowledged even when it is killed', async () => {
  const scratch = new Scratch(temporaryDirectory())
  const stead = await Stead.start(realWorld, scratch, 8)
  const exchanges = await stead.exchanges()
  const bare = await BareFastify.start(scratch, exchanges)
  const connection = await HttpConnection.open(bare.port)
  const { head, body } = await connection.ask(bare.requestOf('get'))
  expect(headersOf(head)).toMatchObject(exchanges.get.answer.headers)
  expect(body.toString()).toBe(exchanges.get.answer.body)
  expect(JSON.parse(exchanges.list.answer.body).items).toHaveLength(8)
  connection.close()

  const ours = { get: stead, list: stead, create: stead }
  const chapter = requestChapter(realWorld, { ours, bare, connectionCounts: [1, 4], duration: millis(50) })
  const samples = await inTurns(chapter.measurements, 1, () => {})
  for (const { name } of chapter.measurements) expect(samples.of(name, 'rate')[0], name).toBeGreaterThan(0)
  const { floors, tables } = chapter.conclude(samples)
  expect(floors).toHaveLength(3)
  expect(tables[0]!.rows).toHaveLength(chapter.measurements.length)

  expect(stead.acknowledged).toBeGreaterThan(8 + 1)
  await stead.survives()
  stead.acknowledged++
  await expect(stead.survives()).rejects.toThrow('Stead acknowledged')
  await stead.stop()
  await bare.stop()
}, 60_000)

test('a refusal is not counted as done', () =>
  expect(() => mustBeDone('create', { status: 429, head: '', body: Buffer.from('{}') })).toThrow('answered 429'))
