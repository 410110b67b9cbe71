import assert from 'node:assert/strict'
import { millis } from '@stead/world'
import { listAll } from '../../filter.ts'
import type { CallOptions } from '../../provider.ts'
import type { Bench } from '../bench.ts'
import { promises } from '../promise.ts'

/** Cancels a call after a while and answers how long it went on after that. */
async function cancelled(
  bench: Bench,
  after: number,
  call: (options: CallOptions) => Promise<unknown>,
): Promise<number> {
  const abort = new AbortController()
  const timer = bench.world.setTimer(millis(after), () => abort.abort(new Error('cancelled by the test')))
  const took = await bench.timed(() => call({ signal: abort.signal }))
  timer.cancel()
  return took - after
}

export const cancelPromises = promises(
  'core',
  {
    async 'a call that was cancelled before it began does nothing'(bench) {
      const signal = AbortSignal.abort(new Error('cancelled before'))
      const { id } = await bench.running()
      const { spec, token } = bench.order()
      const { provider } = bench
      const calls = {
        launch: () => provider.launch(spec, token, { signal, fresh: true }),
        stop: () => provider.stop(id, { signal }),
        terminate: () => provider.terminate(id, { signal }),
        describe: () => provider.describe(id, { signal }),
        list: () => listAll(provider.list({ tags: bench.mark }, { signal })),
        catalog: () => provider.catalog({ signal }),
      }
      for (const [what, call] of Object.entries(calls)) await assert.rejects(call, /cancelled before/, what)
      assert.deepEqual(await bench.ids(), [id])
      assert.equal(await bench.stateOf(id), 'running')
    },

    async 'cancelling a launch is prompt'(bench) {
      const { launch, cancel } = bench.subject.limits
      for (const share of [0.05, 0.2]) {
        const { spec, token } = bench.order()
        const late = await cancelled(bench, launch * share, options => bench.provider.launch(spec, token, options))
        assert.ok(late <= cancel, `it went on for ${late} ms; ${cancel} ms are prompt`)
      }
    },

    async 'cancelling a launch loses no id'(bench) {
      const { launch } = bench.subject.limits
      for (const share of [0.01, 0.05, 0.1, 0.3, 0.6]) {
        const order = bench.order({ power: 'off' })
        await cancelled(bench, launch * share, options =>
          bench.provider.launch(order.spec, order.token, { ...options, fresh: true }),
        )
        const { id } = await bench.place(order)
        const { tags } = order.spec
        assert.deepEqual(
          await bench.ids({ tags: { ...bench.mark, ...tags } }),
          [id],
          'a cancelled launch left another one',
        )
      }
    },

    async 'cancelling a read is prompt'(bench) {
      const { id } = await bench.launch()
      const { cancel } = bench.subject.limits
      const reads = {
        describe: (options: CallOptions) => bench.provider.describe(id, options),
        list: (options: CallOptions) => listAll(bench.provider.list({ tags: bench.mark }, options)),
        catalog: (options: CallOptions) => bench.provider.catalog(options),
      }
      for (const [what, read] of Object.entries(reads)) {
        const late = await cancelled(bench, 1, read)
        assert.ok(late <= cancel, `${what} went on for ${late} ms; ${cancel} ms are prompt`)
      }
    },
  },
  { 'cancelling a launch is prompt': 'alone', 'cancelling a read is prompt': 'alone' },
)
