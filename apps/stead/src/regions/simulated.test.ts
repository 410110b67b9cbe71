import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@stead/testing'
import { expect, test } from 'vitest'
import { Program } from '../tests/program.ts'

/** `stead serve` on a data directory, with an API client that is its admin. */
async function serving(data: string, options: { flags?: string[]; env?: NodeJS.ProcessEnv } = {}) {
  const args = ['serve', '--listen', '127.0.0.1:0', '--data', data, ...(options.flags ?? [])]
  const program = new Program(args, { env: options.env ?? {} })
  const url = await program.listening()
  const token = readFileSync(join(data, 'admin.token'), 'utf8').trim()
  const call = (method: string, path: string) =>
    fetch(url + path, { method, headers: { authorization: `Bearer ${token}` } })
  const regions = async () => {
    const answer = await call('GET', '/v1/regions')
    return ((await answer.json()) as { items: { metadata: { id: string } }[] }).items
  }
  const stop = async () => {
    program.process.kill('SIGTERM')
    return program.exited
  }
  return { program, call, regions, stop }
}

test('there is no region until something is found; a simulated one is made when it is asked for, once', async () => {
  const data = join(temporaryDirectory(), 'data')
  const plain = await serving(data)
  expect(await plain.regions()).toEqual([])
  await plain.stop()

  const first = await serving(data, { flags: ['--simulated-region'] })
  const [made, ...others] = await first.regions()
  expect(others).toEqual([])
  expect(made).toMatchObject({
    metadata: { name: 'simulated' },
    spec: { provider: 'simulated' },
    status: { isDefault: true },
  })
  await first.program.logs('region registered')
  expect(await first.stop()).toMatchObject({ code: 0 })

  const second = await serving(data, { env: { STEAD_SIMULATED_REGION: 'true' } })
  expect((await second.regions()).map(({ metadata }) => metadata.id)).toEqual([made!.metadata.id])
  expect((await second.call('DELETE', '/v1/regions/simulated')).status).toBe(202)
  await expect.poll(async () => (await second.regions()).length).toBe(0)
  await second.stop()

  const third = await serving(data, { flags: ['--simulated-region'] })
  expect(await third.regions()).toEqual([])
}, 60_000)
