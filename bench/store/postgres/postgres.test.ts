import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { describeWith } from '@stead/testing'
import { millis, realWorld, seconds } from '@stead/world'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inTurns } from '../../harness/rounds.ts'
import { Scratch } from '../../harness/scratch.ts'
import { watchChapter } from '../watch.ts'
import { operations } from '../workload.ts'
import { Nodes } from './nodes.ts'
import { BenchServer } from './server.ts'
import { Fleet } from './takeover/fleet.ts'
import { takeoverChapter } from './takeover/takeover.ts'
import { openPolling, openTold } from './watched.ts'

const world = realWorld

describeWith('embedded postgresql', 'the bench of the store on PostgreSQL', () => {
  let scratch: Scratch
  let server: BenchServer
  beforeAll(async () => {
    scratch = new Scratch(tmpdir())
    server = await BenchServer.start(scratch)
  })
  afterAll(async () => {
    await server?.stop()
    rmSync(scratch.directory, { recursive: true, force: true })
  })

  // With two nodes: a process of each runs the same code as the one that measures a single node.
  test.each(['Stead', 'raw pg'] as const)(
    '%s holds exactly the rows of what it acknowledged',
    async by => {
      const place = await server.newPlace()
      const contender = await Nodes.start(scratch, { by, follows: true, place, count: 2, population: 64 })
      for (const operation of operations)
        for (const writers of [1, 17]) {
          const { rate } = await contender.write({ operation, writers, duration: millis(50) })
          expect(rate).toBeGreaterThan(0)
        }
      await contender.close()
      const { puts, creates } = contender.acknowledged
      expect(puts).toBeGreaterThan(0)
      expect(creates).toBeGreaterThan(2 * 64)
      await server.checkRows(contender, place)
      const oneMore = { name: contender.name, acknowledged: { puts: puts + 1, creates } }
      await expect(server.checkRows(oneMore, place)).rejects.toThrow(`${contender.name} acknowledged`)
    },
    60_000,
  )

  test.each([
    ['that is told', openTold],
    ['that must look for itself', openPolling],
  ])('a watcher on another node %s sees every commit', async (_, open) => {
    const load = { watcherCounts: [2], duration: millis(100), bar: 150, open: () => open(world, server) }
    const chapter = watchChapter(world, load)
    const { tables, floors } = chapter.conclude(await inTurns(chapter.measurements, 1, () => {}))
    expect(tables[0]!.rows).toHaveLength(1)
    expect(floors).toHaveLength(1)
  })

  test('the shards of a node that is killed are reconciled by others', async () => {
    const leases = { leaseTtl: seconds(2), renewEvery: seconds(0.5) }
    const fleet = new Fleet({ world, scratch, leases, newPlace: () => server.newPlace() })
    const chapter = takeoverChapter(fleet)
    const samples = await inTurns(chapter.measurements, 2, () => {})
    await fleet.close()
    const [first, every] = [
      samples.of('a node of three is killed', 'first'),
      samples.of('a node of three is killed', 'every'),
    ]
    for (const [index, time] of first.entries()) expect(time).toBeLessThanOrEqual(every[index]!)
    expect(chapter.conclude(samples).tables[0]!.rows).toHaveLength(2)
  }, 90_000)
})
