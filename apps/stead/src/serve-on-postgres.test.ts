import { join } from 'node:path'
import { describeWith, PostgresCluster, temporaryDirectory } from '@stead/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Program } from './tests/program.ts'

describeWith('embedded postgresql', 'serving on PostgreSQL', () => {
  let cluster: PostgresCluster
  beforeAll(async () => {
    cluster = await PostgresCluster.start({ edition: 'embedded postgresql', fsync: false })
  })
  afterAll(() => cluster.stop())

  const start = async (...args: string[]) => {
    const here = ['--listen', '127.0.0.1:0', '--data', join(temporaryDirectory(), 'data')]
    const program = new Program(['serve', ...here, '--database', cluster.url(), ...args])
    return { program, url: await program.listening() }
  }
  const stead = async (...args: string[]) => {
    const program = new Program([...args, '--database', cluster.url()])
    const { code } = await program.exited
    return { code, stdout: program.stdout, stderr: program.stderr }
  }
  const metric = async (url: string, name: string) => {
    const text = await (await fetch(`${url}/metrics`)).text()
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
  }

  test('two nodes share the shards, and the one that stays has them all again', async () => {
    const [first, second] = [await start(), await start()]
    for (const { url } of [first, second]) expect((await fetch(`${url}/readyz`)).status).toBe(200)
    const held = () => Promise.all([first, second].map(({ url }) => metric(url, 'stead_shards_held')))
    await expect.poll(held, { timeout: 60_000, interval: 200 }).toEqual([16, 16])
    second.program.process.kill('SIGTERM')
    expect(await second.program.exited).toMatchObject({ code: 0 })
    await expect.poll(() => metric(first.url, 'stead_shards_held'), { timeout: 30_000, interval: 200 }).toBe(32)
  }, 120_000)

  test('a node is not ready while the database is away, and is again when it is back', async () => {
    const { url } = await start('--database-schema', 'away')
    const ready = async () => (await fetch(`${url}/readyz`)).status
    await cluster.shutdown('fast')
    await expect.poll(ready, { timeout: 30_000, interval: 200 }).toBe(503)
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    await cluster.start()
    await expect.poll(ready, { timeout: 30_000, interval: 200 }).toBe(200)
  }, 90_000)

  test('a database that was brought back is a new epoch that only observes, until it is resumed', async () => {
    const schema = ['--database-schema', 'brought_back']
    const once = async () => {
      const { program } = await start(...schema)
      await program.logs('serving')
      program.process.kill('SIGTERM')
      await program.exited
      return program.stderr
    }
    expect(await once()).toContain('"epoch":1,"observeOnly":false')
    expect(await stead('restore', ...schema)).toMatchObject({ code: 0 })
    expect(await once()).toContain('"epoch":2,"observeOnly":true')
    expect(await stead('resume', ...schema)).toMatchObject({ code: 0 })
    expect(await once()).toContain('"epoch":2,"observeOnly":false')
  }, 90_000)

  test('a file is not what a database is backed up to or restored from', async () => {
    for (const command of ['backup', 'restore'])
      expect(await stead(command, '/tmp/file')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('its own tools'),
      })
  })
})
