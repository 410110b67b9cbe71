import { createServer } from 'node:net'
import { freePort } from '@stead/testing'
import { realWorld as world } from '@stead/world'
import { expect, test } from 'vitest'
import { Forwarder, type PortState } from './forwarder.ts'
import { Relay } from './relay-client.ts'

const port = (outer: number | null): PortState => ({
  ...{ service: 'main', name: 'http', protocol: 'tcp', public: false, inner: 20_000, outer },
})
const relay = () => new Relay(world, () => undefined, undefined)

test('a port is opened where it was before', async () => {
  const before = await freePort()
  const forwarder = new Forwarder('127.0.0.1', [], relay())
  expect((await forwarder.open([port(before)]))[0]!.outer).toBe(before)
  forwarder.close()
})

test('a port that somebody else has taken meanwhile, or that is forbidden, moves', async () => {
  const taken = createServer()
  await new Promise<void>(resolve => taken.listen(0, '127.0.0.1', resolve))
  const { port: number } = taken.address() as { port: number }
  const forbidden = await freePort()
  const forwarder = new Forwarder('127.0.0.1', [forbidden], relay())
  const opened = await forwarder.open([port(number), port(forbidden), port(null)])
  for (const { outer } of opened) expect([number, forbidden]).not.toContain(outer)
  expect(new Set(opened.map(({ outer }) => outer)).size).toBe(3)
  forwarder.close()
  taken.close()
})
