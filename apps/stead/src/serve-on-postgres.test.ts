import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeWith, PostgresCluster, temporaryDirectory } from '@stead/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Program } from './tests/program.ts'

interface Body {
  readonly code?: string
  readonly metadata?: { readonly id: string }
  readonly quotas?: readonly { readonly kind: string; readonly used: number }[]
}

describeWith('embedded postgresql', 'serving on PostgreSQL', () => {
  let cluster: PostgresCluster
  beforeAll(async () => {
    cluster = await PostgresCluster.start({ edition: 'embedded postgresql', fsync: false })
  })
  afterAll(() => cluster.stop())

  // Nodes on one database seal with one key.
  const env = { STEAD_SEAL_KEY: randomBytes(32).toString('base64') }
  const start = async (...args: string[]) => {
    const data = join(temporaryDirectory(), 'data')
    const here = ['--listen', '127.0.0.1:0', '--data', data]
    const program = new Program(['serve', ...here, '--database', cluster.url(), ...args], { env })
    return { program, data, url: await program.listening() }
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

  test('200 projects at once on two nodes at a limit of 50: exactly 50 are made, and use is 0 when they are gone', async () => {
    const schema = ['--database-schema', 'quotas']
    const [first, second] = [await start(...schema), await start(...schema)]
    const authorization = `Bearer ${readFileSync(join(first.data, 'admin.token'), 'utf8').trim()}`
    const call = async (node: { readonly url: string }, method: string, path: string, body?: object) => {
      const headers = { authorization, ...(body && { 'content-type': 'application/json' }) }
      const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) }
      const answer = await fetch(`${node.url}/v1/organizations/acme${path}`, sent)
      return { status: answer.status, body: (await answer.json()) as Body }
    }
    const made = await fetch(`${first.url}/v1/organizations`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: '{"name":"acme"}',
    })
    const revision = made.headers.get('stead-revision')!
    expect((await call(first, 'PUT', '/quotas', { limits: { projects: 50 } })).status).toBe(200)
    await fetch(`${second.url}/v1/organizations/acme`, { headers: { authorization, 'stead-revision': revision } })
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) => call(n % 2 ? first : second, 'POST', '/projects', { name: `p${n}` })),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(50)
    expect(answers.filter(({ body }) => body.code === 'quota_exceeded')).toHaveLength(150)
    const audit = await fetch(`${second.url}/v1/system/audit?action=projects:create&limit=500`, {
      headers: { authorization },
    })
    const { items } = (await audit.json()) as { items: { result: string }[] }
    expect(items.filter(({ result }) => result === 'done')).toHaveLength(50)
    const used = async () => {
      const { quotas } = (await call(second, 'GET', '/quotas')).body
      return quotas?.find(({ kind }) => kind === 'projects')?.used
    }
    expect(await used()).toBe(50)
    const remove = (id: string) =>
      fetch(`${second.url}/v1/projects/${id}`, { method: 'DELETE', headers: { authorization } })
    await Promise.all(answers.flatMap(({ body }) => (body.metadata ? [remove(body.metadata.id)] : [])))
    await expect.poll(used, { timeout: 30_000, interval: 200 }).toBe(0)
    const drift = await fetch(`${second.url}/v1/system/quotas/drift`, { headers: { authorization } })
    expect(await drift.json()).toEqual({ drift: [], repaired: false })
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
