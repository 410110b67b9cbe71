import assert from 'node:assert/strict'
import { promises } from '../promise.ts'

export const manyPromises = promises('core', {
  async 'launches at the same time are all there, and no two are one'(bench) {
    const orders = Array.from({ length: bench.subject.limits.concurrency }, () => bench.order({ power: 'off' }))
    const servers = await Promise.all(orders.map(order => bench.place(order, true)))
    assert.equal(new Set(servers.map(server => server.id)).size, orders.length, 'two launches answered one id')
    const found = await Promise.all(orders.map(order => bench.ids({ tags: { ...bench.mark, ...order.spec.tags } })))
    assert.deepEqual(
      found,
      servers.map(server => [server.id]),
    )
    const again = await Promise.all(orders.map(order => bench.place(order)))
    assert.deepEqual(
      again.map(server => server.id),
      servers.map(server => server.id),
      'their tokens no longer lead to them',
    )
  },

  async 'terminations at the same time leave nothing'(bench) {
    const { concurrency } = bench.subject.limits
    const servers = await Promise.all(Array.from({ length: concurrency }, () => bench.running()))
    await Promise.all(servers.map(server => bench.provider.terminate(server.id)))
    const states = ['pending', 'running', 'stopping', 'stopped', 'terminating'] as const
    await bench.eventually(
      'all of them to be gone',
      async () => (await bench.ids({ states })).length === 0 || undefined,
    )
  },
})
