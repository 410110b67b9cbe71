import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { changeSet } from '@stead/engine'
import { hours, realWorld, seconds } from '@stead/world'
import { expect, onTestFinished, test } from 'vitest'
import { appendEvent } from '../events/model.ts'
import { IdentityHouse } from '../identity/tests/house.ts'
import { outgoingStreams } from '../outgoing/index.ts'
import type { Webhook } from './model.ts'
import { signedHeaders } from './signature.ts'

const shop = '/v1/projects/acme%2Fshop'
const hooks = `${shop}/webhooks`

interface Got {
  readonly headers: Record<string, string>
  readonly text: string
  readonly body: { type: string; timestamp: string; data: { id: string; message: string; object: { name: string } } }
}

/** Somebody who listens, on loopback. */
async function listen() {
  const got: Got[] = []
  const receiver = { got, status: 200, text: 'thanks', refuses: (_: Got) => false }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const one: Got = { headers: request.headers as Got['headers'], text, body: JSON.parse(text) }
    const isTaken = receiver.status < 300 && !receiver.refuses(one)
    if (isTaken) got.push(one)
    response.writeHead(isTaken ? receiver.status : Math.max(receiver.status, 400)).end(receiver.text)
  })
  await new Promise<void>(ready => server.listen(0, '127.0.0.1', ready))
  onTestFinished(() => void server.close())
  return Object.assign(receiver, { url: `http://receiver.example:${(server.address() as AddressInfo).port}/in` })
}

const take = outgoingStreams({ world: realWorld, allow: ['127.0.0.1/32'], resolve: async () => ['127.0.0.1'] })

async function open() {
  const house = await IdentityHouse.open({ fetching: { take } })
  await house.organization('acme')
  for (const name of ['shop', 'lab']) await house.project('acme', name)
  const receiver = await listen()
  return { house, receiver, ...worker(house, receiver.url) }
}

function worker(house: IdentityHouse, url: string) {
  return {
    make: (spec: object = {}, name = 'chat') =>
      house.must(201, 'POST', hooks, { body: { name, spec: { url, ...spec } } }),
    read: (name = 'chat') => house.must(200, 'GET', `${hooks}/${name}`),
    deliveries: async (query = '') => (await house.must(200, 'GET', `${hooks}/chat/deliveries${query}`)).items,
    /** Something happens to an SSH authority of the shop, which need not exist: and the shop is touched. */
    async happens(message: string, subject = 'one', reason = 'Told') {
      const everything = house.engine.cache.platform()
      const project = everything.list({ kind: 'project', name: 'shop' }).items[0]!
      const set = changeSet(house.world).update(project, { labels: { last: message } })
      const at = { organizationId: project.organizationId!, projectId: project.id, name: subject }
      appendEvent(set, { kind: 'ssh-authority', id: `ssh_${subject}`, ...at }, { reason, message })
      await house.engine.commit(set)
    },
  }
}

const eventually = <T>(read: () => T | Promise<T>) => expect.poll(read, { interval: 20 })
const messages = (got: readonly Got[]) => got.map(({ body }) => body.data.message)

test('what happens is sent, in order and signed, and each attempt can be read', async () => {
  const { receiver, make, happens, deliveries } = await open()
  await happens('before')
  const made = await make()
  expect(made.secret).toMatch(/^whsec_/)
  for (let n = 0; n < 5; n++) await happens(`n${n}`)
  await eventually(() => messages(receiver.got)).toEqual(['n0', 'n1', 'n2', 'n3', 'n4'])
  const [{ headers, text, body }] = receiver.got as [Got]
  expect(body).toMatchObject({
    type: 'ssh-authority.Told',
    timestamp: expect.stringMatching(/Z$/),
    data: { projectId: made.metadata.projectId, reason: 'Told', object: { kind: 'ssh-authority', name: 'one' } },
  })
  const signed = { id: headers['webhook-id']!, timestamp: Number(headers['webhook-timestamp']), body: text }
  expect(headers).toMatchObject(signedHeaders(signed, [made.secret]))
  expect(headers['content-type']).toBe('application/json')
  expect(new Set(receiver.got.map(each => each.headers['webhook-id'])).size).toBe(5)
  await eventually(async () => (await deliveries()).length).toBe(5)
  expect((await deliveries())[4]).toMatchObject({
    ...{ outcome: 'delivered', cause: 'event', status: 200, error: null, excerpt: 'thanks', event: body.data.id },
    ...{ type: 'ssh-authority.Told', messageId: signed.id },
  })
})

test('only what is asked for is sent, and nothing is written down for the rest', async () => {
  const { house, receiver, make, happens } = await open()
  const { metadata } = await make({ events: { types: ['*.Wanted'] } })
  for (let n = 0; n < 3; n++) await happens(`no ${n}`)
  await happens('yes', 'one', 'Wanted')
  await eventually(() => messages(receiver.got)).toEqual(['yes'])
  const stored = () => house.engine.cache.platform().get<Webhook>('webhook', metadata.id)!
  await eventually(() => stored().status.cursor).toBeGreaterThan(0)
  const { revision } = stored()
  for (let n = 0; n < 3; n++) await happens(`no ${n}`)
  await realWorld.sleep(seconds(0.3))
  expect(stored().revision).toBe(revision)
})

test('what becomes of a webhook is told to the others at once, and not each of its deliveries', async () => {
  const { house, receiver, make, read } = await open()
  await make({ events: { kinds: ['webhook'] } })
  // Nobody listens there, and nothing else happens in the project that could wake anybody.
  const away = { url: 'http://receiver.example:9/in', active: false }
  await make(away, 'other')
  await house.must(200, 'PATCH', `${hooks}/other`, { body: { labels: { seen: 'yes' } } })
  await house.must(200, 'POST', `${hooks}/other/rotate-secret`, { body: {} })
  await house.must(202, 'DELETE', `${hooks}/other`)
  const told = () => receiver.got.map(({ body }) => `${body.data.object.name} ${body.type}`)
  await eventually(told).toEqual([
    ...['other webhook.Created', 'other webhook.Updated', 'other webhook.SecretRotated'],
    ...['other webhook.DeleteRequested', 'other webhook.Destroyed'],
  ])
  expect(messages(receiver.got)).toContain('changed: /labels/seen')
  expect((await read()).status.state).toBe('active')
})

test('a receiver that was away gets everything in order, and Stead may have been started anew meanwhile', async () => {
  const { house, receiver, make, happens, read } = await open()
  await make()
  receiver.status = 503
  for (let n = 0; n < 3; n++) await happens(`n${n}`)
  await eventually(async () => (await read()).status.state).toBe('failing')
  expect(await read()).toMatchObject({ status: { conditions: [{ type: 'NotTaking', reason: 'Failing' }] } })
  await house.restart()
  await worker(house, receiver.url).happens('n3')
  receiver.status = 200
  await eventually(() => messages(receiver.got)).toEqual(['n0', 'n1', 'n2', 'n3'])
  await eventually(async () => (await read()).status).toMatchObject({ state: 'active', conditions: [] })
})

test('an event that is never taken becomes a dead letter after a day, and can be sent again', async () => {
  const { house, receiver, make, happens, read, deliveries } = await open()
  await make()
  receiver.refuses = ({ body }) => body.data.message === 'bad'
  for (const message of ['good', 'bad', 'late']) await happens(message)
  await happens('other', 'two')
  await eventually(() => messages(receiver.got).sort()).toEqual(['good', 'other'])
  await eventually(async () => (await read()).status).toMatchObject({ state: 'active', waitingObjects: 1 })
  house.pass(hours(25))
  await happens('again', 'two')
  await eventually(() => messages(receiver.got)).toContain('late')
  const { items } = await house.must(200, 'GET', `${hooks}/chat/dead-letters`)
  expect(items).toMatchObject([{ spec: { reason: 'Told', object: { name: 'one' } } }])
  expect(await deliveries('?outcome=dead')).toMatchObject([{ status: 400, event: items[0].spec.event }])
  await house.must(202, 'POST', `${hooks}/chat/redeliver`, { body: { deadLetters: true } })
  await eventually(async () => (await deliveries('?outcome=failed'))[0].cause).toBe('redelivery')
  expect((await house.must(200, 'GET', `${hooks}/chat/dead-letters`)).total).toBe(1)
  receiver.refuses = () => false
  await house.must(202, 'POST', `${hooks}/chat/redeliver`, { body: { event: items[0].spec.event } })
  await eventually(() => messages(receiver.got)).toContain('bad')
  await eventually(async () => (await house.must(200, 'GET', `${hooks}/chat/dead-letters`)).total).toBe(0)
})

test('one that took nothing for a day pauses, says so, and goes on where it was when it is resumed', async () => {
  const { house, receiver, make, happens, read } = await open()
  await make()
  receiver.status = 500
  await happens('n0')
  await eventually(async () => (await read()).status.state).toBe('failing')
  house.pass(hours(25))
  await happens('n1')
  await eventually(async () => (await read()).status).toMatchObject({ state: 'paused' })
  const { items } = await house.must(200, 'GET', `${hooks}/chat/events`)
  expect(items[0]).toMatchObject({ reason: 'Paused', level: 'warning' })
  receiver.status = 200
  await house.must(202, 'POST', `${hooks}/chat/resume`)
  await eventually(() => messages(receiver.got)).toEqual(['n0', 'n1'])
})

test('a receiver that is gone for good is left alone at once', async () => {
  const { receiver, make, happens, read } = await open()
  await make()
  receiver.status = 410
  await happens('n0')
  await eventually(async () => (await read()).status).toMatchObject({
    ...{ state: 'paused', conditions: [{ reason: 'ReceiverGone' }] },
  })
})

test('a test is sent at once, also by one that is not active, which sends nothing else until it is', async () => {
  const { house, receiver, make, happens, deliveries } = await open()
  await make({ active: false })
  await happens('n0')
  await house.must(202, 'POST', `${hooks}/chat/test`)
  await eventually(() => receiver.got.map(({ body }) => body.type)).toEqual(['webhook.Test'])
  await eventually(async () => (await deliveries()).map(({ cause }: { cause: string }) => cause)).toEqual(['test'])
  await house.must(200, 'PATCH', `${hooks}/chat`, { body: { spec: { active: true } } })
  await eventually(() => receiver.got.at(-1)!.body.data.message).toBe('n0')
})

test('a secret can be replaced without a moment in which what it signs is refused, and is never shown again', async () => {
  const { house, receiver, make, happens } = await open()
  const own = `whsec_${Buffer.alloc(24, 1).toString('base64')}`
  const made = await make({ secret: own })
  expect(made).not.toHaveProperty('secret')
  const { secret } = await house.must(200, 'POST', `${hooks}/chat/rotate-secret`, { body: {} })
  await happens('both')
  await eventually(() => receiver.got.length).toBe(1)
  const count = () => receiver.got.at(-1)!.headers['webhook-signature']!.split(' ').length
  expect(count()).toBe(2)
  house.pass(hours(25))
  await happens('new only')
  await eventually(() => receiver.got.length).toBe(2)
  expect(count()).toBe(1)
  const told = JSON.stringify([
    await house.must(200, 'GET', `${hooks}/chat`),
    await house.must(200, 'GET', `${hooks}/chat/events`),
    await house.must(200, 'GET', `${hooks}/chat/deliveries`),
    await house.must(200, 'GET', '/v1/organizations/acme/audit'),
  ])
  for (const text of [own, secret]) expect(told).not.toContain(text.slice(6))
  await house.must(422, 'PATCH', `${hooks}/chat`, { body: { spec: { secret: own } } })
})

test('it is not sent to where it must not go, nor by who may not read what it tells of', async () => {
  const { house, make, happens, deliveries } = await open()
  for (const url of ['ftp://x/', 'https://user:pass@x.example/', 'nonsense'])
    await house.must(422, 'POST', hooks, { body: { name: 'bad', spec: { url } } })
  await make({ url: 'http://169.254.169.254/latest' })
  await happens('n0')
  await eventually(async () => (await deliveries())[0]?.error).toMatch(/may not be reached/)
  const role = {
    name: 'relay',
    spec: { permissions: ['projects:read', 'webhooks:read', 'webhooks:create', 'images:read'] },
  }
  await house.must(201, 'POST', '/v1/organizations/acme/roles', { body: role })
  const { token } = await house.account('acme', 'ci', { role: 'relay', project: 'shop' })
  const body = { name: 'spy', spec: { url: 'https://spy.example/' } }
  await house.must(403, 'POST', hooks, { token, body })
  await house.must(201, 'POST', hooks, {
    token,
    body: { ...body, spec: { ...body.spec, events: { kinds: ['image'] } } },
  })
})

test('a project has so many, and they end with it', async () => {
  const { house, make } = await open()
  for (let n = 0; n < 50; n++) await make({ active: false }, `h${n}`)
  const refused = await house.must(403, 'POST', hooks, { body: { name: 'more', spec: { url: 'https://x.example/' } } })
  expect(refused.code).toBe('quota_exceeded')
  await house.must(202, 'DELETE', `${hooks}/h0`)
  await house.gone(`${hooks}/h0`)
  await make({ active: false }, 'more')
  await house.must(202, 'DELETE', shop)
  await house.gone(shop)
  expect(house.engine.cache.platform().count({ kind: 'webhook' })).toBe(0)
})
