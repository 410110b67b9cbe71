import assert from 'node:assert/strict'
import { millis } from '@stead/world'
import { isProviderError } from '../../errors.ts'
import type { ServerState } from '../../server-info.ts'
import type { Bench } from '../bench.ts'
import { promises } from '../promise.ts'

/** An id in the form this backend gives, which nothing has. */
async function neverSeen(bench: Bench): Promise<string> {
  const { id } = await bench.launch({ power: 'off' })
  return id.replace(/[0-9a-f]/g, digit => (digit === 'e' ? 'd' : 'e'))
}

/** Which states may follow which, while nobody starts it. */
const later: Readonly<Record<ServerState, readonly ServerState[]>> = {
  pending: ['pending', 'running', 'stopping', 'stopped', 'terminating', 'terminated'],
  running: ['running', 'stopping', 'stopped', 'terminating', 'terminated'],
  stopping: ['stopping', 'stopped', 'terminating', 'terminated'],
  stopped: ['stopped', 'terminating', 'terminated'],
  terminating: ['terminating', 'terminated'],
  terminated: ['terminated'],
  unknown: ['pending', 'running', 'stopping', 'stopped', 'terminating', 'terminated', 'unknown'],
}

export const lifePromises = promises(
  'core',
  {
    async 'terminate makes a server go away, with all that came with it'(bench) {
      const before = await bench.subject.backend.count()
      const { id } = await bench.running()
      await bench.provider.terminate(id)
      await bench.untilGone(id)
      await bench.eventually(
        'everything to be gone',
        async () => (await bench.subject.backend.count()) <= before || undefined,
      )
    },

    async 'terminate of the gone succeeds'(bench) {
      const { id } = await bench.running()
      await bench.provider.terminate(id)
      await bench.provider.terminate(id)
      await bench.untilGone(id)
      await bench.provider.terminate(id)
    },

    async 'terminate of the never-seen succeeds'(bench) {
      await bench.provider.terminate(await neverSeen(bench))
    },

    async 'terminate takes hold right after launch'(bench) {
      const { id } = await bench.launch()
      await bench.provider.terminate(id)
      await bench.pictures()
      await bench.untilGone(id)
    },

    async 'terminate takes a stopped server, too'(bench) {
      const { id } = await bench.stopped()
      await bench.provider.terminate(id)
      await bench.untilGone(id)
    },

    async 'what is terminated does not come back'(bench) {
      const { id } = await bench.running()
      await bench.provider.terminate(id)
      await bench.untilGone(id)
      await bench.refused('starting it', () => bench.provider.start(id), 'NotFound', 'Conflict')
      await bench.world.sleep(millis(Math.min(bench.subject.limits.transition, 2_000)))
      assert.equal(await bench.stateOf(id), 'terminated')
    },

    async 'stop brings a server to rest, asked or forced'(bench) {
      for (const hard of [false, true]) {
        const { id } = await bench.running()
        const answer = await bench.provider.stop(id, { hard })
        assert.equal(answer.id, id)
        await bench.until(id, 'stopped')
      }
    },

    async 'stop of the stopped succeeds'(bench) {
      const { id } = await bench.stopped()
      assert.equal((await bench.provider.stop(id)).state, 'stopped')
      assert.equal(await bench.stateOf(id), 'stopped')
    },

    async 'start makes a server at rest run, also one that never ran'(bench) {
      const { id: never } = await bench.launch({ power: 'off' })
      await bench.until(never, 'stopped', 'running')
      const { id: before } = await bench.stopped()
      for (const id of [never, before]) {
        const answer = await bench.provider.start(id)
        assert.equal(answer.id, id)
        await bench.until(id, 'running')
      }
    },

    async 'start of the running succeeds and restarts nothing'(bench) {
      const { id } = await bench.running()
      await bench.pictures()
      const before = await bench.bootId(id)
      assert.equal((await bench.provider.start(id)).state, 'running')
      assert.equal(await bench.stateOf(id), 'running')
      assert.equal(await bench.bootId(id), before, 'it was restarted')
    },

    async 'start answers fresh addresses'(bench) {
      const { id } = await bench.stopped()
      const answered = await bench.provider.start(id)
      await bench.until(id, 'running')
      await bench.pictures()
      const { addresses } = await bench.provider.describe(id)
      for (const kind of ['private', 'public'] as const)
        for (const address of answered.addresses[kind])
          assert.ok(addresses[kind].includes(address), `start answered ${address}, and it is at ${addresses[kind]}`)
    },

    async 'storage survives stop'(bench) {
      const { id } = await bench.running()
      await bench.inside.write(id, 'kept')
      await bench.provider.stop(id)
      await bench.until(id, 'stopped')
      await bench.provider.start(id)
      await bench.until(id, 'running')
      assert.equal(await bench.inside.read(id), 'kept')
    },

    async 'start of a server that is still stopping waits, or says that it passes'(bench) {
      const { id } = await bench.running()
      await bench.provider.stop(id)
      const early = await bench.provider.start(id).then(
        () => undefined,
        (error: unknown) => error,
      )
      if (early !== undefined) {
        assert.ok(isProviderError(early) && early.retryable, `${early} does not say that it passes`)
        await bench.until(id, 'stopped')
        await bench.provider.start(id)
      }
      await bench.until(id, 'running')
    },

    async 'describe, stop and start of the never-seen are NotFound'(bench) {
      const id = await neverSeen(bench)
      await bench.refused('describe', () => bench.provider.describe(id), 'NotFound')
      await bench.refused('stop', () => bench.provider.stop(id), 'NotFound')
      await bench.refused('start', () => bench.provider.start(id), 'NotFound')
    },

    async 'the states of a life never go back'(bench) {
      for (const [end, verb] of [
        ['stopped', (id: string) => bench.provider.stop(id)],
        ['terminated', (id: string) => bench.provider.terminate(id)],
      ] as const) {
        const { id } = await bench.launch()
        const seen = await statesUntil(bench, id, 'running')
        await verb(id)
        seen.push(...(await statesUntil(bench, id, end)), ...(await statesUntil(bench, id, end)))
        for (const [index, state] of seen.entries()) {
          const before = seen[index - 1] ?? state
          assert.ok(later[before].includes(state), `after ${before} came ${state}`)
        }
      }
    },
  },
  {
    'terminate makes a server go away, with all that came with it': 'alone',
    'storage survives stop': 'inside',
    'start of the running succeeds and restarts nothing': 'bootId',
  },
)

/** Looks again and again. Only pictures taken further apart than the oldest one shown can be put in order. */
async function statesUntil(bench: Bench, id: string, end: ServerState): Promise<ServerState[]> {
  const seen: ServerState[] = []
  await bench.eventually(`${id} to be ${end}`, async () => {
    await bench.pictures()
    seen.push(await bench.stateOf(id))
    return seen.at(-1) === end || undefined
  })
  return seen
}
