import { describeWith } from '@stead/testing'
import { ContainerEngine, dockerEngine } from '@stead/testing/engines'
import { expect, test } from 'vitest'
import type { Container, EngineEvent } from '../engine/words.ts'
import { connect, eventually, orderOf, services, shell, until } from '../tests/region.ts'
import { OutOfMemory } from './out-of-memory.ts'

const limit = 64 * 2 ** 20
const ended = (State: Partial<Container['State']> = {}, Memory = limit): Container => ({
  ...{ Id: 'x', Name: '/x', Created: '', Image: '', RestartCount: 0, Config: { Labels: {}, Image: '' } },
  State: {
    ...{ Status: 'exited', Running: false, Restarting: false, OOMKilled: false, ExitCode: 137 },
    ...{ StartedAt: '2026-01-01T00:00:00Z', FinishedAt: '2026-01-01T00:00:10Z', ...State },
  },
  HostConfig: { Memory },
  NetworkSettings: { Networks: {}, Ports: {} },
})

const event = (text: string): EngineEvent => {
  const [Action, signal] = text.split(' ') as [string, string?]
  return { Type: 'container', Action, Actor: { ID: 'x', Attributes: signal ? { signal } : {} }, timeNano: 0 }
}

/** An engine that remembers just this. */
function engineWith(...texts: readonly string[]) {
  let times = 0
  async function* eventsOf() {
    times++
    yield* texts.map(event)
  }
  return { eventsOf, asked: () => times }
}

const isOutOfMemory = async (container: Container, ...texts: readonly string[]): Promise<boolean> =>
  (await new OutOfMemory(engineWith(...texts)).judge(container)).State.OOMKilled

test.each([
  ['start', 'oom', 'die'],
  ['start', 'die', 'oom'],
  ['start', 'kill 15', 'die'],
  ['start', 'die'],
  ['start', 'die', 'start', 'kill 9', 'die'],
])('killed by the kernel: %s, %s, %s …', async (...texts) => expect(await isOutOfMemory(ended(), ...texts)).toBe(true))

test.each([
  ['start', 'kill 15', 'kill 9', 'die'],
  ['start', 'kill KILL', 'die'],
])('killed by somebody: %s, %s, %s …', async (...texts) => expect(await isOutOfMemory(ended(), ...texts)).toBe(false))

test('nothing is claimed of an end that the engine has forgotten', async () =>
  expect(await isOutOfMemory(ended())).toBe(false))

test('only an end that may have been for want of memory is asked about, and once', async () => {
  const engine = engineWith('die')
  const outOfMemory = new OutOfMemory(engine)
  const clear = [
    ended({ ExitCode: 1 }),
    ended({ OOMKilled: true }),
    ended({ Status: 'running', Running: true }),
    ended({}, 0),
  ]
  for (const container of clear) expect(await outOfMemory.judge(container)).toBe(container)
  expect(engine.asked()).toBe(0)
  await Promise.all([outOfMemory.judge(ended()), outOfMemory.judge(ended())])
  expect(engine.asked()).toBe(1)
  await outOfMemory.judge(ended({ FinishedAt: '2026-01-01T00:00:20Z' }))
  expect(engine.asked()).toBe(2)
})

describeWith('docker', 'a service with a limit on its memory', () => {
  test('that somebody kills has not run out of it', { timeout: 120_000 }, async () => {
    const engine = await ContainerEngine.start(dockerEngine)
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
