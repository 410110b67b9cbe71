import { validator } from '@stead/control'
import { UnavailableError } from '@stead/engine'
import { defineProvider } from '@stead/provider-kit'
import { VirtualWorld } from '@stead/world'
import Type from 'typebox'
import { expect, test } from 'vitest'
import type { Configuration } from '../configuration/index.ts'
import { type Detector, lookAround, registerFound } from './detect.ts'
import { localDetector } from './local.ts'

const detector = (kind: string, look: Detector['look']): Detector => ({
  look,
  provider: defineProvider({
    ...{ kind, configuration: Type.Object({}), credentials: Type.Object({}) },
    connect: () => Promise.reject(new Error('nobody connects while it looks around')),
  }),
})

test('whatever goes wrong while it looks around is told, and keeps nothing from starting', async () => {
  const world = new VirtualWorld({ seed: 1 })
  const lines: string[] = []
  const say = (fields: object, message: string) => {
    const { provider, whyNot = '' } = fields as { provider: string; whyNot?: string }
    lines.push(`${provider}: ${message} ${whyNot}`.trim())
  }
  const detectors = [
    detector('absent', async () => ({ whyNot: 'it is not installed' })),
    detector('broken', () => Promise.reject(new Error('a bug'))),
    detector('hanging', () => new Promise(() => {})),
    detector('unlucky', async () => ({ name: 'here', provider: 'unlucky' })),
  ]
  const kinds = new Map(detectors.map(({ provider }) => [provider.kind, provider]))
  const log = { debug: say, info: say, warn: say, error: say }
  const began = world.now()
  await world.run(
    registerFound(lookAround(detectors, world, log), {
      world,
      log,
      everything: { list: () => ({ items: [] }), get: () => undefined } as never,
      clients: { definition: (kind: string) => kinds.get(kind), kinds: () => [...kinds.keys()] } as never,
      sealer: undefined as never,
      commit: () => Promise.reject(new UnavailableError('the store is away')),
    }),
  )
  expect(lines.sort()).toEqual([
    'absent: there is no region of this kind to find it is not installed',
    'broken: could not look for a region of this kind',
    'hanging: could not look for a region of this kind',
    'unlucky: a region was found, and could not be registered',
  ])
  expect(world.now() - began).toBeLessThanOrEqual(5_000)
})

test('what is found of this machine fits its provider: nobody checks it again', async () => {
  const configuration = { data: '/somewhere', findRegions: true, listen: { port: 7400 } } as Configuration
  const { provider, look } = localDetector(configuration)
  const found = await look(new AbortController().signal)
  if ('whyNot' in found) return
  expect(validator(provider.configuration).errors(found.configuration)).toEqual([])
})
