import assert from 'node:assert/strict'
import { listAll } from '../../filter.ts'
import { labelTags } from '../../tags.ts'
import { promises } from '../promise.ts'

export const listPromises = promises('core', {
  async 'list takes all of its tags'(bench) {
    const tags = (color: string, size: string) => labelTags({ color, size })
    const { id } = await bench.launch({ tags: tags('red', 'big') })
    await bench.launch({ tags: tags('red', 'small') })
    await bench.launch({ tags: tags('blue', 'big') })
    assert.deepEqual(await bench.ids({ tags: { ...bench.mark, ...tags('red', 'big') } }), [id])
    assert.deepEqual(await bench.ids({ tags: { ...bench.mark, ...tags('green', 'big') } }), [])
  },

  async 'list takes any of its states'(bench) {
    const { id: stopped } = await bench.stopped()
    const { id: running } = await bench.running()
    assert.deepEqual(await bench.ids({ states: ['stopped'] }), [stopped])
    assert.deepEqual(await bench.ids({ states: ['running'] }), [running])
    assert.deepEqual(await bench.ids({ states: ['stopped', 'running'] }), [running, stopped].sort())
    assert.deepEqual(await bench.ids({ states: [] }), [running, stopped].sort(), 'no states means all')
  },

  async 'list hides the terminated unless they are asked for'(bench) {
    const { id: gone } = await bench.running()
    const { id: there } = await bench.launch()
    await bench.provider.terminate(gone)
    await bench.untilGone(gone)
    assert.deepEqual(await bench.ids(), [there])
    const terminated = await bench.list({ states: ['terminated'] })
    for (const server of terminated) assert.equal(server.id, gone, 'not terminated')
  },

  async 'list pages to the end'(bench) {
    const { pageSize, concurrency } = bench.subject.limits
    const count = pageSize === null ? Math.min(concurrency, 4) : pageSize * 2 + 1
    const servers = await Promise.all(Array.from({ length: count }, () => bench.launch({ power: 'off' })))
    const listed = await bench.ids()
    assert.equal(listed.length, new Set(listed).size, 'a server was listed twice')
    assert.deepEqual(listed, servers.map(server => server.id).sort())
  },

  async 'list refuses an empty filter unless all is said'(bench) {
    const { id } = await bench.launch()
    await bench.pictures()
    await bench.refused('a list of everything', () => listAll(bench.provider.list({ tags: {} })), 'InvalidConfig')
    const everything = await listAll(bench.provider.list({ tags: {}, all: true }))
    assert.ok(everything.some(server => server.id === id))
  },

  async 'list refuses a state that does not exist'(bench) {
    const filter = { tags: bench.mark, states: ['rebooting' as 'running'] }
    await bench.refused('a list by "rebooting"', () => listAll(bench.provider.list(filter)), 'InvalidConfig')
  },
})
