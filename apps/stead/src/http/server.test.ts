import { createMetrics } from '@stead/engine'
import { days, realWorld, seconds } from '@stead/world'
import { expect, onTestFinished, test } from 'vitest'
import { Parts } from '../parts.ts'
import { listen } from './server.ts'

test('not ready while a part cannot serve, with the reason; ready once it can; alive all the time', async () => {
  let problem: string | undefined = 'the log is 7 s behind'
  const parts = new Parts()
  parts.add({ name: 'store', problem: () => problem })
  const { url, part } = await listen({
    configuration: {
      listen: { host: '127.0.0.1', port: 0 },
      listenOrigin: 'the default',
      data: '/unused',
      behindProxy: false,
      outgoingAllow: [],
      sealKeys: { olderKeys: [] },
      findRegions: false,
      simulatedRegion: false,
      staging: '/nowhere',
      imageLimit: 1,
      auditRetention: days(400),
      metricsInterval: seconds(15),
      logLevel: 'silent',
    },
    world: realWorld,
    metrics: createMetrics(),
    version: { name: 'stead', version: '1.2.3', node: process.version },
    parts,
    door: { mount: () => {} },
  })
  onTestFinished(() => part.close?.())

  const unready = await fetch(`${url}/readyz`)
  expect(unready.status).toBe(503)
  expect(await unready.json()).toEqual({
    status: 'not ready',
    problems: [{ part: 'store', problem: 'the log is 7 s behind' }],
  })
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  problem = undefined
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
})
