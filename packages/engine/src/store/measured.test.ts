import { VirtualWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { changeSet } from '../change-set-builder.ts'
import { createMetrics } from '../metrics/index.ts'
import { InProcessStore } from '../tests/in-process-store.ts'
import { widget } from '../tests/widgets.ts'
import { measureCommits } from './measured.ts'

test('commits are counted by what came of them, and everything else is as it was', async () => {
  const world = new VirtualWorld({ seed: 1 })
  const metrics = createMetrics()
  const inner = new InProcessStore(world)
  const store = measureCommits(inner, metrics, world)
  await world.run(store.commit(changeSet(world).create(widget('a'))))
  await expect(world.run(store.commit(changeSet(world).create(widget('a'))))).rejects.toThrow('exists already')
  const back = inner.goAway()
  await expect(world.run(store.commit(changeSet(world).create(widget('b'))))).rejects.toThrow()
  back()
  const text = metrics.expose()
  for (const result of ['committed', 'conflict', 'failed']) expect(text).toContain(`{result="${result}"} 1\n`)
  expect(text).toContain('stead_commit_duration_seconds_count 3')
  expect(store.head()).toBe(1)
  expect(store.identity).toBe(inner.identity)
})
