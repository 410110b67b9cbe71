import { describeWith } from '@stead/testing'
import { ContainerEngine, dockerEngine, podmanEngine } from '@stead/testing/engines'
import { expect, test } from 'vitest'
import { ended } from '../tests/ended.ts'
import { connect, eventually, orderOf, services, shell, until } from '../tests/region.ts'
import { OutOfMemory } from './out-of-memory.ts'

test('only an end that may have been for want of memory is asked about, and once', async () => {
  let asked = 0
  const outOfMemory = new OutOfMemory(async () => ++asked > 0)
  const clear = [
    ended({ ExitCode: 1 }),
    ended({ OOMKilled: true }),
    ended({ Status: 'running', Running: true }),
    ended({}, 0),
  ]
  for (const container of clear) expect(await outOfMemory.judge(container)).toBe(container)
  expect(asked).toBe(0)
  const [judged] = await Promise.all([outOfMemory.judge(ended()), outOfMemory.judge(ended())])
  expect([judged.State.OOMKilled, asked]).toEqual([true, 1])
  await outOfMemory.judge(ended({ FinishedAt: '2026-01-01T00:00:20Z' }))
  expect(asked).toBe(2)
})

test('what could not be found out is asked again', async () => {
  let asked = 0
  const outOfMemory = new OutOfMemory(async () => {
    if (++asked === 1) throw new Error('not now')
    return true
  })
  await expect(outOfMemory.judge(ended())).rejects.toThrow('not now')
  expect((await outOfMemory.judge(ended())).State.OOMKilled).toBe(true)
})

for (const kind of [dockerEngine, podmanEngine])
  describeWith(kind.name, `a service with a limit on its memory, on ${kind.name}`, () => {
    test('that somebody kills has not run out of it', { timeout: 120_000 }, async () => {
      const engine = await ContainerEngine.start(kind)
      const provider = await connect(engine)
      try {
        const main = shell('exec sleep 600', { restart: 'never', resources: { memoryMiB: 64 } })
        const { spec, token } = orderOf(services({ main }))
        const { id } = await provider.launch(spec, token)
        await until(provider, id, 'running')
        await engine.call('POST', `/containers/${id}.main/kill`)
        const { stateReason } = await until(provider, id, 'stopped')
        expect(stateReason).toBe('Error: main exited with code 137')
        await provider.terminate(id)
        await eventually('nothing to be left', async () => (await engine.everything()).length === 0)
      } finally {
        await provider.close()
        await engine.close()
      }
    })
  })
