import type { ChangeSet } from '@stead/engine'
import type { LaunchSpec } from '@stead/provider-kit'
import { realWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { aServer, observed } from '../instances/tests/samples.ts'
import { change } from './changing.ts'
import type { ServerStatus } from './model.ts'
import type { Reach } from './reach.ts'

const tagged = (tag: string): LaunchSpec => ({
  ...{ name: 'web', power: 'on', tags: { tag } },
  source: { type: 'machine', flavor: 'small', image: 'debian' },
})

test('a change that leaves the power alone forgets no order of power that is under way', async () => {
  const target = { launch: 'launch-2', rebuild: 0 }
  const applied = { launch: 'launch-1', power: 'off', restart: 0, rebuild: 0 } as const
  const server = aServer({ status: { applied, applying: target, powering: 'on', observed: observed('stopped') } })
  const written: ServerStatus[] = []
  const reach = {
    provider: {
      capabilities: () => ({ groups: { update: { fields: { tags: 'inPlace' } } }, consistency: { describe: 0 } }),
      update: async () => observed('stopped'),
    },
    content: async (_: unknown, sealed: string) => tagged(sealed),
    context: {
      world: realWorld,
      cache: { get: () => server },
      outside: (_: unknown, perform: (signal: AbortSignal) => unknown) => perform(AbortSignal.timeout(60_000)),
      commit: async ({ puts }: ChangeSet) => void written.push(puts[0]!.status as ServerStatus),
    },
  } as unknown as Reach
  expect(await change(reach, server, target, { fresh: true })).toBe('done')
  expect(written).toMatchObject([{ applied: { ...target, power: 'off' }, powering: 'on' }])
  expect(written[0]).not.toHaveProperty('applying')
})
