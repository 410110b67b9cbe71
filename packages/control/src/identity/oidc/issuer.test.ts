import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Duration, hours, millis, minutes, realWorld, seconds, type World } from '@stead/world'
import { jwtVerify } from 'jose'
import { expect, onTestFinished, test } from 'vitest'
import { outgoingClient } from '../../outgoing/client.ts'
import { TestIssuer } from '../tests/issuer.ts'
import { Issuer } from './issuer.ts'

async function known() {
  let now = millis(0)
  const world: World = { ...realWorld, monotonic: () => now }
  const provider = await TestIssuer.start({}, 'https://stead.example/callback')
  let isUp = true
  const stop = async () => {
    if (isUp) await provider.stop()
    isUp = false
  }
  onTestFinished(stop)
  const client = outgoingClient({ world: realWorld, allow: ['127.0.0.1/32'] })
  const issuer = new Issuer({ issuer: provider.url, client, world })
  const accepts = async (token: string) =>
    jwtVerify(token, issuer.findKey).then(
      () => true,
      () => false,
    )
  return {
    provider,
    issuer,
    accepts,
    stop,
    pass(time: Duration) {
      now = millis(now + time)
    },
  }
}

test('a new key is found when a token names it, but nobody can make us ask for keys all the time', async () => {
  const { provider, accepts, pass } = await known()
  const old = await provider.bearer()
  expect(await accepts(old)).toBe(true)
  await provider.rotateKeys()
  const renewed = await provider.bearer()
  expect(await accepts(renewed)).toBe(false)
  expect(provider.keysRead).toBe(1)
  pass(seconds(31))
  expect(await accepts(renewed)).toBe(true)
  expect(await accepts(old)).toBe(false)
  expect(provider.keysRead).toBe(2)
})

test('a key that was withdrawn is trusted for ten minutes and no longer', async () => {
  const { provider, accepts, pass } = await known()
  const old = await provider.bearer()
  expect(await accepts(old)).toBe(true)
  await provider.rotateKeys()
  pass(minutes(9))
  expect(await accepts(old)).toBe(true)
  pass(minutes(2))
  expect(await accepts(old)).toBe(false)
})

test('an issuer that is away costs nobody the keys it had, for an hour', async () => {
  const { provider, accepts, pass, stop } = await known()
  const token = await provider.bearer()
  expect(await accepts(token)).toBe(true)
  await stop()
  pass(minutes(50))
  expect(await accepts(token)).toBe(true)
  pass(hours(1))
  expect(await accepts(token)).toBe(false)
})

test('many who come at once read the keys once', async () => {
  const { provider, accepts } = await known()
  const token = await provider.bearer()
  await Promise.all(Array.from({ length: 20 }, () => accepts(token)))
  expect(provider.keysRead).toBe(1)
})

test('one issuer does not speak for another', async () => {
  const { issuer } = await known()
  await expect(issuer.discovery()).resolves.toMatchObject({ jwks_uri: expect.any(String) })
  const liar = createServer((_request, response) => response.end(JSON.stringify({ issuer: 'https://other.example' })))
  liar.listen(0, '127.0.0.1')
  await once(liar, 'listening')
  onTestFinished(() => void liar.close())
  const url = `http://127.0.0.1:${(liar.address() as AddressInfo).port}`
  const client = outgoingClient({ world: realWorld, allow: ['127.0.0.1/32'] })
  await expect(new Issuer({ issuer: url, client, world: realWorld }).discovery()).rejects.toThrow(
    'describes https://other.example',
  )
})
