import { temporaryDirectory } from '@stead/testing'
import { millis, realWorld } from '@stead/world'
import { expect, test } from 'vitest'
import type { Contender } from '../contender.ts'
import { openStore, type SqlitePlace } from '../place.ts'
import { SteadContender } from '../stead.ts'
import { operations, populationSize } from '../workload.ts'
import { RawSqliteContender } from './raw.ts'
import { checkRows } from './rows.ts'

const newPlace = (): SqlitePlace => ({ type: 'sqlite', directory: temporaryDirectory() })
const startOurs = async (place: SqlitePlace) => new SteadContender(realWorld, await openStore(realWorld, place)).start()
const startRaw = (place: SqlitePlace) => RawSqliteContender.start(realWorld, place)

test.each<[string, (place: SqlitePlace) => Promise<Contender>]>([
  ['our store', startOurs],
  ['raw SQLite', startRaw],
])('%s holds exactly the rows of what it acknowledged', async (_, start) => {
  const place = newPlace()
  const contender = await start(place)
  for (const operation of operations)
    for (const writers of [1, 16]) await contender.write({ operation, writers, duration: millis(30) })
  await contender.close()
  expect(contender.acknowledged.puts).toBeGreaterThan(0)
  expect(contender.acknowledged.creates).toBeGreaterThan(populationSize)
  checkRows(contender, place)
  contender.acknowledged.puts++
  expect(() => checkRows(contender, place)).toThrow(`${contender.name} acknowledged`)
})
