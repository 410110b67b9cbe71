import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { freePort, RunningStead } from '@stead/testing'
import { expect, onTestFinished, test } from 'vitest'
import { isProblem, Stead, Unreachable, WaitFailed } from './index.ts'

const machine = { services: { services: { main: { image: 'any', command: ['run'] } } } }
const write = (name: string, more: object = {}) => ({ name, spec: { region: 'simulated', source: machine, ...more } })

async function connect(options: { retryFor?: number } = {}) {
  const running = await RunningStead.start({ args: ['--simulated-region'] })
  const stead = new Stead({ url: running.url, token: running.token, ...options })
  return { running, stead, project: stead.project('default/default') }
}

test('what is made is waited for, listed page by page, changed and deleted', async () => {
  const { stead, project } = await connect()
  const names = ['a', 'b', 'c', 'd', 'e']
  for (const name of names) await project.instances.create(write(name))
  const running = await project.instances.waitUntil('c', { ready: true })
  expect(running.status).toMatchObject({ phase: 'running', ready: true })

  const listed: string[] = []
  for await (const { metadata } of project.instances.list({ limit: 2 })) listed.push(metadata.name)
  expect(listed).toEqual(names)
  const every: string[] = []
  for await (const region of stead.list('GET /v1/regions')) every.push(region.metadata.name)
  expect(every).toContain('simulated')

  const { metadata } = await project.instances.change('c', { labels: { tier: 'web' } })
  expect(metadata.labels).toEqual({ tier: 'web' })
  await project.instances.stop('c')
  await project.instances.waitUntil('c', { phase: 'stopped' })
  await project.instances.delete('c')
  const gone = await project.instances.waitUntil('c', { phase: 'destroyed' })
  expect(gone.metadata.id).toBe(running.metadata.id)
}, 60_000)

test('a refusal is an exception with its code, its fields and what to do', async () => {
  const { running, project } = await connect()
  await project.instances.create(write('web'))
  const taken = await project.instances.create(write('web')).catch(error => error)
  expect(isProblem(taken, 'name_taken') && taken.suggestion).toMatch(/\w+/)
  expect(isProblem(taken, 'forbidden')).toBe(false)
  // biome-ignore lint/suspicious/noExplicitAny: what the types refuse is sent on purpose
  const wrong = await project.instances.create({ name: 'Not A Name', spec: {} } as any).catch(error => error)
  expect(wrong.errors.map(({ path }: { path: string }) => path)).toContain('/name')
  expect(wrong.traceId).toMatch(/^[0-9a-f]{32}$/)

  const stranger = new Stead({ url: running.url, token: 'stead_wrong' })
  expect(isProblem(await stranger.whoami().catch(error => error), 'unauthenticated')).toBe(true)
}, 60_000)

test('waiting for what can no longer come ends, and says why', async () => {
  const { project } = await connect()
  await project.instances.create(write('web'))
  await project.instances.waitUntil('web')
  const late = await project.instances.waitUntil('web', { phase: 'stopped', timeout: 500 }).catch(error => error)
  expect(late).toBeInstanceOf(WaitFailed)
  expect(late).toMatchObject({ reason: 'late', instance: { status: { phase: 'running' } } })
  const gone = project.instances.waitUntil('web', { phase: 'stopped' }).catch(error => error)
  await project.instances.delete('web')
  expect(await gone).toMatchObject({ name: 'WaitFailed', reason: 'gone' })
  const never = await project.instances.waitUntil('nobody').catch(error => error)
  expect(isProblem(never, 'not_found')).toBe(true)
}, 60_000)

test('what failed is told by its name, with what is in its way', async () => {
  const trouble = { type: 'Trouble', status: 'true', reason: 'InvalidConfig', message: 'the region refused it' }
  const status = { phase: 'failed', observedGeneration: 1, ready: false, operation: null, conditions: [trouble] }
  const instance = { metadata: { id: 'inst_1', name: 'web', revision: 1 }, status }
  const stead = new Stead({ url: 'http://127.0.0.1:1', token: 'x', fetch: async () => Response.json(instance) })
  const failed = await stead
    .project('a/b')
    .instances.waitUntil('inst_1')
    .catch(error => error)
  expect(failed).toMatchObject({ reason: 'failed', message: 'web is failed (InvalidConfig: the region refused it)' })
})

test('where nobody listens is said at once; where something else does, too', async () => {
  const nobody = new Stead({ url: `http://127.0.0.1:${await freePort()}`, token: 'x', retryFor: 60_000 })
  expect(await nobody.whoami().catch(error => error)).toMatchObject({ message: /nothing listens there/ })
  const other = createServer((_, answer) => answer.writeHead(404).end('what?')).listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await new Promise(resolve => other.once('listening', resolve))
  const stead = new Stead({ url: `http://127.0.0.1:${(other.address() as AddressInfo).port}`, token: 'x' })
  const error = await stead.whoami().catch(error => error)
  expect(error).toBeInstanceOf(Unreachable)
  expect(error.message).toContain('something else answers there, with 404')
})

test('a request whose answer is lost is sent again with its key, and has one effect', async () => {
  const { running, stead } = await connect()
  const keys: (string | undefined)[] = []
  const lossy = new Stead({
    ...{ url: running.url, token: running.token, retryFor: 30_000 },
    async fetch(url, init) {
      keys.push(new Headers(init?.headers).get('idempotency-key') ?? undefined)
      const answer = await fetch(url, init)
      if (keys.length <= 2) throw new TypeError('fetch failed')
      return answer
    },
  })
  const made = await lossy.project('default/default').instances.create(write('once'))
  expect(keys).toHaveLength(3)
  expect(new Set(keys).size).toBe(1)
  const { items } = await stead.project('default/default').instances.all()
  expect(items.map(({ metadata }) => metadata.id)).toEqual([made.metadata.id])
}, 60_000)

test('a wait goes on when the server is killed and comes back', async () => {
  const { running, project } = await connect({ retryFor: 60_000 })
  await project.instances.create(write('web'))
  await project.instances.waitUntil('web')
  const interruptions: string[] = []
  const onInterrupted = (why: string) => interruptions.push(why)
  const begun = Promise.withResolvers<unknown>()
  const gone = project.instances.waitUntil('web', { phase: 'destroyed', onInterrupted, onChange: begun.resolve })
  // Else it could come back to a name that nobody has any more.
  await begun.promise
  await running.kill()
  await expect.poll(() => interruptions.length, { timeout: 20_000 }).toBeGreaterThan(0)
  await running.startAgain()
  await project.instances.delete('web')
  expect((await gone).status.phase).toBe('destroyed')
}, 90_000)

test('a follower has what the server has, however often that is killed', async () => {
  const { running, project } = await connect({ retryFor: 30_000 })
  await project.instances.create(write('before'))
  const known = new Map<string, number>()
  const leave = new AbortController()
  const following = (async () => {
    for await (const { type, object } of project.follow({ signal: leave.signal }))
      if (type === 'put') known.set(object.metadata.name, object.metadata.revision)
      else known.delete(object.metadata.name)
  })().catch(error => error)
  await expect.poll(() => known.size, { timeout: 20_000 }).toBe(1)
  for (const round of [1, 2, 3]) {
    await project.instances.create(write(`kept-${round}`))
    await project.instances.create(write(`brief-${round}`))
    await running.kill()
    await running.startAgain()
    await project.instances.delete(`brief-${round}`)
  }
  // One that is gone already is not found.
  for (const round of [1, 2, 3])
    await project.instances.waitUntil(`brief-${round}`, { phase: 'destroyed' }).catch(() => undefined)
  const truth = async () => {
    const { items } = await project.instances.all()
    return items.map(({ metadata }) => `${metadata.name} ${metadata.revision}`).sort()
  }
  const seen = () => [...known].map(([name, revision]) => `${name} ${revision}`).sort()
  await expect.poll(async () => (await truth()).join() === seen().join(), { timeout: 30_000 }).toBe(true)
  expect([...known.keys()].sort()).toEqual(['before', 'kept-1', 'kept-2', 'kept-3'])
  leave.abort('enough')
  expect(await following).toBe('enough')
}, 120_000)

test('every change is seen once by a watch that is killed in between', async () => {
  const { running, stead } = await connect({ retryFor: 30_000 })
  const key = 'AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl'
  const project = stead.project('default/default')
  const made = await stead.call('POST /v1/projects/{project}/ssh-authorities', {
    path: { project: 'default/default' },
    body: { name: 'ca', spec: { publicKey: `ssh-ed25519 ${key}` } },
  })
  const seen: string[] = []
  const watching = (async () => {
    const options = { kinds: ['ssh-authority'], since: made.metadata.revision }
    for await (const { object } of project.watch<typeof made>(options)) {
      seen.push(object.metadata.labels.n ?? '')
      if (seen.length === 9) return
    }
  })()
  for (let n = 1; n <= 9; n++) {
    await stead.call('PATCH /v1/projects/{project}/ssh-authorities/{sshAuthority}', {
      path: { project: 'default/default', sshAuthority: 'ca' },
      body: { labels: { n: String(n) } },
    })
    if (n % 3 === 0) {
      await running.kill()
      await running.startAgain()
    }
  }
  await watching
  expect(seen).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9'])
}, 120_000)
