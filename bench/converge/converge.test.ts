import { temporaryDirectory } from '@stead/testing'
import { millis, realWorld as world } from '@stead/world'
import { expect, test } from 'vitest'
import { inTurns } from '../harness/rounds.ts'
import { Scratch } from '../harness/scratch.ts'
import { CloudProcess } from './cloud/cloud.ts'
import { Estate } from './estate.ts'
import { findings } from './findings.ts'
import { life, lifeOf } from './life.ts'

test('instances come, die, live through a restart and go, and every floor is judged by what that took', async () => {
  const scratch = new Scratch(temporaryDirectory())
  const beside = await Estate.open(world, scratch)
  await beside.up(2)
  const options = {
    warmUp: 1,
    undisturbed: false,
    emptySettling: millis(0),
    settling: millis(0),
    watched: millis(200),
    deaths: 1,
    deathRounds: 1,
    starts: 2,
    beside,
  }
  const size = 3
  const samples = await inTurns([life(world, scratch, { ...options, size })], 1, () => {})
  expect(await beside.inCloud()).toMatchObject({ active: 2, all: 2 })
  await beside.down()
  expect(await beside.inCloud()).toMatchObject({ active: 0, all: 0 })
  await beside.close()
  // Less than this a life cannot take: the instance, its server and what is seen of it each come and go.
  for (const field of ['upEntries', 'downEntries'])
    expect(samples.of(lifeOf(size), field)[0], field).toBeGreaterThanOrEqual(3)
  expect(samples.of(lifeOf(size), 'deathEntries')[0]).toBeGreaterThanOrEqual(1)
  // A cloud that launches in 200 ms and boots in 1 s was waited for.
  expect(samples.of(lifeOf(size), 'upElapsed')[0]).toBeGreaterThan(1_000)
  const { floors, tables } = findings(samples, [size])
  expect(floors.map(({ name }) => name)).toContain('3 settled: log entries')
  for (const { measured } of floors) expect(measured).toMatch(/\d/)
  for (const { rows } of tables) expect(rows.map(([first]) => first)).toEqual(['3'])
}, 120_000)

test('what the cloud refuses arrives as the error it is', async () => {
  const scratch = new Scratch(temporaryDirectory())
  const cloud = await CloudProcess.start(scratch)
  const { remoteCloud } = await import('./cloud/remote.ts')
  const provider = await remoteCloud(Number(cloud.program.env.BENCH_CLOUD_PORT)).connect({
    configuration: { cloud: 'default' },
    credentials: { key: 'simulated' },
    owner: { controlPlane: 'bench', region: 'bench' },
    world,
  })
  await expect(provider.describe('i-none')).rejects.toMatchObject({ name: 'ProviderError', code: 'NotFound' })
  const stop = new AbortController()
  const events = provider.watch!({ tags: {} }, { signal: stop.signal })[Symbol.asyncIterator]()
  expect((await events.next()).value.type).toBe('open')
  const next = events.next()
  stop.abort(new Error('enough'))
  await expect(next).rejects.toThrow('enough')
  await provider.close()
  await cloud.stop()
}, 60_000)
