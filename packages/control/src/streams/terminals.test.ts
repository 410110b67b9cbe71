import { seconds } from '@stead/world'
import { describe, expect, test } from 'vitest'
import { Browser } from '../identity/tests/browser.ts'
import { useMark } from '../instances/gather.ts'
import { machine, services } from '../instances/tests/house.ts'
import { Refused, SocketClient } from './tests/socket-client.ts'
import { linesOf, numbered, StreamHouse } from './tests/stream-house.ts'
import { WatchedProvider } from './tests/watched-provider.ts'
import { streamTickets } from './tickets/model.ts'

const patience = { interval: 5 }

async function openHouse(spec: object = services(), options = {}) {
  const house = await StreamHouse.open(options)
  const { metadata } = await house.at.running('web-1', spec)
  return { house, id: metadata.id as string }
}

const refusalOf = (opening: Promise<unknown>) =>
  opening.then(
    () => undefined,
    (error: unknown) => (error instanceof Refused ? error : Promise.reject(error)),
  )

describe('exec', () => {
  test('tells what a command prints, on which stream, and its exit code', async () => {
    const { house } = await openHouse()
    expect(await house.run('web-1', ['echo', 'hello'])).toEqual({ code: 0, stdout: 'hello\n', stderr: '' })
    expect(await house.run('web-1', ['complain', 'no'])).toEqual({ code: 0, stdout: '', stderr: 'no\n' })
    expect((await house.run('web-1', ['exit', '42'])).code).toBe(42)
    expect((await house.run('web-1', ['nothing-like-that'])).code).toBe(127)
    const client = await house.open('web-1/exec', { command: ['echo'] })
    expect(await client.closed).toMatchObject({ code: 1000 })
    expect(client.controls).toEqual([{ type: 'ready' }, { type: 'exit', code: 0 }])
    expect(client.socket.protocol).toBe('stead.v1')
  })

  test('gives a command its input byte for byte, its end, its environment and its signals', async () => {
    const { house } = await openHouse()
    const cat = await house.open('web-1/exec', { command: ['cat'] })
    const bytes = Buffer.from(Array.from({ length: 5_000 }, (_, index) => index % 256))
    cat.type(bytes)
    cat.type('and more')
    cat.say({ type: 'end' })
    expect((await cat.exit()).code).toBe(0)
    expect(Buffer.concat(cat.printed.stdout).equals(Buffer.concat([bytes, Buffer.from('and more')]))).toBe(true)
    expect((await house.run('web-1', ['cat'], { stdin: false })).code).toBe(0)
    expect((await house.run('web-1', ['env'], { env: { GREETING: 'hi' } })).stdout).toContain('GREETING=hi\n')
    const waiting = await house.open('web-1/exec', { command: ['await', 'TERM', '7'] })
    await waiting.until(() => waiting.stdout === 'ready\n')
    waiting.say({ type: 'signal', signal: 'TERM' })
    expect(await waiting.exit()).toEqual({ type: 'exit', code: 7 })
    const killed = await house.open('web-1/exec', { command: ['sleep', '1000'] })
    killed.say({ type: 'signal', signal: 'KILL' })
    expect(await killed.exit()).toEqual({ type: 'exit', code: 137, signal: 'KILL' })
  })

  test('has a terminal of the size that was asked for, and follows a resize before what is typed after it', async () => {
    const { house } = await openHouse()
    const client = await house.open('web-1/exec', { command: ['size'], tty: true, columns: 120, rows: 40 })
    client.type('\n')
    await client.until(() => client.stdout === '40 120\n')
    client.say({ type: 'resize', columns: 132, rows: 43 })
    client.type('\n')
    await client.until(() => client.stdout.endsWith('43 132\n'))
    client.say({ type: 'end' })
    expect((await client.exit()).code).toBe(0)
  })

  test('holds a command up while nobody reads, loses nothing, and holds up nobody else', async () => {
    const { house } = await openHouse()
    const size = 30_000_000
    const slow = await house.open('web-1/exec', { command: ['fill', String(size)] })
    slow.socket.pause()
    expect((await house.run('web-1', ['echo', 'meanwhile'])).stdout).toBe('meanwhile\n')
    slow.socket.resume()
    expect((await slow.exit()).code).toBe(0)
    expect(slow.printed.stdout.reduce((sum, { length }) => sum + length, 0)).toBe(size)
  })

  test('can be stopped by a signal though it does not read what it is given', async () => {
    const { house } = await openHouse()
    const client = await house.open('web-1/exec', { command: ['sleep', '1000'] })
    for (let sent = 0; sent < 40; sent++) client.type(Buffer.alloc(4_096))
    client.say({ type: 'signal', signal: 'INT' })
    expect(await client.exit()).toMatchObject({ code: 130, signal: 'INT' })
  })

  test('ends the command when its client leaves', async () => {
    const { house } = await openHouse()
    const client = await house.open('web-1/exec', { command: ['sleep', '1000'] })
    await client.until(() => client.controls.length > 0)
    const account = house.cloud.account()
    const [server] = [...account.servers]
    expect(account.insideOf(server!).processes.size).toBe(1)
    client.socket.terminate()
    await expect.poll(() => account.insideOf(server!).processes.size, patience).toBe(0)
  })

  test('says what was wrong with what a client sent, and ends', async () => {
    const { house } = await openHouse()
    for (const send of [
      (client: SocketClient) => client.socket.send('text'),
      (client: SocketClient) => client.socket.send(Buffer.of(9, 1)),
      (client: SocketClient) => client.say({ type: 'resize', columns: 0, rows: 1 }),
      (client: SocketClient) => client.say({ type: 'signal', signal: 'STOP' }),
    ]) {
      const client = await house.open('web-1/exec', { command: ['sleep', '1000'] })
      send(client)
      expect(await client.closed).toMatchObject({ code: 1011 })
      expect(client.controls.at(-1)).toMatchObject({ type: 'error', problem: { code: 'invalid_request', status: 400 } })
    }
  })

  test('is refused where it cannot be, with what can', async () => {
    const { house } = await openHouse()
    const { at } = house
    const ask = (status: number, body: object, what = 'exec') => at.must(status, 'POST', `/web-1/${what}`, { body })
    expect((await ask(400, { command: ['sh'], service: 'nobody' })).errors[0].path).toBe('/service')
    await ask(400, { command: [] })
    await at.must(202, 'POST', '/web-1/stop')
    await at.settled('web-1')
    expect(await ask(409, { command: ['sh'] })).toMatchObject({ code: 'invalid_state', allowed: ['start', 'delete'] })
    house.cloud.script('errorBefore', { on: 'launch', times: 3 })
    await at.create('early')
    expect((await at.must(409, 'POST', '/early/exec', { body: { command: ['sh'] } })).code).toBe('not_ready')
    const lacking = await StreamHouse.open({ provider: new WatchedProvider({ lacks: ['exec', 'console'] }).definition })
    await lacking.at.create('web-1')
    for (const [what, body] of Object.entries({ exec: { command: ['sh'] }, console: {} }))
      expect((await lacking.at.must(501, 'POST', `/web-1/${what}`, { body })).code).toBe('unsupported')
    await lacking.at.must(501, 'GET', '/web-1/console/output')
  })

  test('tells of a backend that went away between the ticket and its use', async () => {
    const { house } = await openHouse()
    const { url } = await house.at.must(201, 'POST', '/web-1/exec', { body: { command: ['echo'] } })
    const endOutage = house.cloud.outage({ kind: 'outage' })
    const client = await SocketClient.open(house.at.house.url + url)
    expect(await client.closed).toMatchObject({ code: 1011 })
    expect(client.controls).toMatchObject([{ type: 'error', problem: { code: 'unavailable' } }])
    endOutage()
  })

  test('is not begun with a ticket from before its instance was deleted', async () => {
    const { house } = await openHouse(machine())
    const ask = (what: string, body: object) => house.at.must(201, 'POST', `/web-1/${what}`, { body })
    const tickets = await Promise.all([ask('exec', { command: ['echo'] }), ask('console', {})])
    house.cloud.outage({ kind: 'outage', on: ['terminate'] })
    await house.at.must(202, 'DELETE', '/web-1')
    for (const { url } of tickets) {
      const client = await SocketClient.open(house.at.house.url + url)
      expect(await client.closed).toMatchObject({ code: 1011 })
      expect(client.controls).toMatchObject([{ type: 'error', problem: { code: 'invalid_state' } }])
    }
  })
})

describe('a ticket', () => {
  test('opens once, however many try', async () => {
    const { house } = await openHouse()
    const { ticket, url, expiresAt } = await house.at.must(201, 'POST', '/web-1/exec', { body: { command: ['cat'] } })
    expect(url).toBe(`/v1/streams/${ticket}`)
    expect(Date.parse(expiresAt) - house.at.house.world.now()).toBeLessThanOrEqual(60_000)
    const tries = await Promise.allSettled(Array.from({ length: 8 }, () => SocketClient.open(house.at.house.url + url)))
    const opened = tries.filter(each => each.status === 'fulfilled')
    expect(opened).toHaveLength(1)
    for (const each of tries)
      if (each.status === 'rejected') expect(each.reason).toMatchObject({ status: 404, body: { code: 'not_found' } })
    opened[0]!.value.socket.terminate()
  })

  test('is not spent by what cannot become a WebSocket, nor by a page of somebody else', async () => {
    const { house } = await openHouse()
    const { url } = await house.at.must(201, 'POST', '/web-1/exec', { body: { command: ['echo', 'yes'] } })
    const address = house.at.house.url + url
    expect((await house.at.house.call('GET', url, { token: null })).body).toMatchObject({ code: 'invalid_request' })
    const foreign = await refusalOf(SocketClient.open(address, { headers: { origin: 'https://evil.example' } }))
    expect(foreign).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    const own = await SocketClient.open(address, { headers: { origin: house.at.house.url }, protocols: [] })
    expect((await own.exit()).code).toBe(0)
    expect(own.stdout).toBe('yes\n')
  })

  test('is nothing once its time is over, when it is wrong, or when the right to it is gone', async () => {
    const { house } = await openHouse()
    const { house: identity } = house.at
    const ci = await identity.account('acme', 'ci', { role: 'developer' })
    const ask = async () =>
      (await house.at.must(201, 'POST', '/web-1/exec', { body: { command: ['echo'] }, token: ci.token })).url as string
    const open = (path: string) => refusalOf(SocketClient.open(identity.url + path))
    const first = await ask()
    for (const path of ['/v1/streams/x', first.replace(/.\./, letter => (letter === 'A.' ? 'B.' : 'A.'))])
      expect(await open(path)).toMatchObject({ status: 404 })
    identity.pass(seconds(61))
    expect(await open(first)).toMatchObject({ status: 404 })
    const second = await ask()
    await identity.must(202, 'DELETE', `${ci.path}/tokens/${ci.tokenId}`)
    expect(await open(second)).toMatchObject({ status: 404 })
    const tickets = () => identity.engine.cache.platform().list({ kind: streamTickets }).items.length
    expect(tickets()).toBeGreaterThan(0)
    // Looked at when it is due, which would be in a minute, and at every start.
    identity.pass(seconds(61))
    await identity.stop()
    await identity.start()
    await expect.poll(tickets, patience).toBe(0)
  })

  test('keeps what was asked for sealed, and the audit log tells who opened what, and how it ended', async () => {
    const { house, id } = await openHouse()
    const { house: identity } = house.at
    const [secret, printed] = ['a-secret-in-the-environment', 'something-that-was-printed']
    const body = { command: ['echo', printed], env: { PASSWORD: secret } }
    const { url, ticket } = await house.at.must(201, 'POST', '/web-1/exec', { body })
    const [stored] = identity.engine.cache.platform().list({ kind: streamTickets }).items
    const kept = JSON.stringify(stored)
    for (const text of [secret, printed, ticket.slice(-30)]) expect(kept).not.toContain(text)
    const client = await SocketClient.open(identity.url + url)
    await client.closed
    const told = async () => {
      const { items } = await identity.must(
        200,
        'GET',
        `/v1/organizations/acme/audit?object=${id}&action=instances:exec`,
      )
      return items.toReversed()
    }
    await expect.poll(async () => (await told()).length, patience).toBe(3)
    const entries = await told()
    expect(entries.map(({ request, ended }: { request: string; ended: object }) => ({ request, ended }))).toEqual([
      { request: 'POST /v1/projects/:project/instances/:instance/exec', ended: undefined },
      { request: 'GET /v1/streams/:ticket', ended: undefined },
      { request: 'GET /v1/streams/:ticket', ended: { reason: 'finished', exitCode: 0, seconds: expect.any(Number) } },
    ])
    for (const entry of entries)
      expect(entry).toMatchObject({ actor: entries[0].actor, object: { id }, result: 'done' })
    for (const text of [secret, printed]) expect(JSON.stringify(entries)).not.toContain(text)
  })
})

describe('what is open', () => {
  test('is cut when the right to it is withdrawn, and gets nothing more', async () => {
    const { house } = await openHouse()
    const { house: identity } = house.at
    const ci = await identity.account('acme', 'ci', { role: 'developer' })
    const client = await house.open('web-1/exec', { command: ['cat'] }, { token: ci.token })
    client.type('one')
    await client.until(() => client.stdout === 'one')
    const { items } = await identity.must(200, 'GET', '/v1/organizations/acme/grants')
    const grant = items.find(({ spec }: { spec: { principal: string } }) => spec.principal === ci.id)
    await identity.must(202, 'DELETE', `/v1/organizations/acme/grants/${grant.metadata.id}`)
    expect(await client.closed).toMatchObject({ code: 1008 })
    expect(client.stdout).toBe('one')
  })

  test('ends with its instance, and with the server that holds it', async () => {
    const { house } = await openHouse(machine())
    const { at } = house
    const opened = await house.open('web-1/console', {})
    await at.must(202, 'DELETE', '/web-1')
    expect(await opened.closed).toMatchObject({ code: 1000 })
    await at.running('web-2')
    const client = await house.open('web-2/exec', { command: ['cat'] })
    await client.until(() => client.controls.length > 0)
    await at.house.stop()
    expect(await client.closed).toMatchObject({ code: 1001 })
    await at.house.start()
  })

  test('counts as use, written at most once a minute', async () => {
    const { house, id } = await openHouse()
    const { store } = house.at.house
    const marks = async () => (await store.marks([useMark(id)])).map(({ at }) => at)
    expect(await marks()).toEqual([])
    const client = await house.open('web-1/exec', { command: ['cat'] })
    await expect.poll(marks, patience).toHaveLength(1)
    const [first] = await marks()
    for (let index = 0; index < 20; index++) client.type('x')
    await client.until(() => client.stdout.length === 20)
    house.at.house.pass(seconds(61))
    expect(await marks()).toEqual([first])
    client.type('later')
    await expect.poll(async () => (await marks())[0]! - first!, patience).toBeGreaterThanOrEqual(60_000)
    client.socket.terminate()
  })

  test('keeps an instance from being stopped as idle, until it has not been used for long enough', async () => {
    const { house, id } = await openHouse({ ...services(), idleStop: '30m' })
    const { house: identity } = house.at
    /** Lets time pass, and makes Stead look at it. */
    const pass = async (minutes: number) => {
      identity.pass(seconds(minutes * 60))
      await house.at.must(202, 'PATCH', '/web-1', { body: { labels: { passed: String(minutes) } } })
      return house.at.settled('web-1')
    }
    expect((await pass(20)).status.phase).toBe('running')
    await house.run('web-1', ['echo'])
    await expect.poll(() => identity.store.marks([useMark(id)]), patience).toHaveLength(1)
    expect((await pass(21)).status.phase).toBe('running')
    await pass(12)
    await house.at.until('web-1', 'stopped')
  })
})

test('a browser needs to show that it is ours to get a ticket, and what it opens ends with its session', async () => {
  const { house } = await openHouse()
  const { house: identity } = house.at
  const invited = { email: 'ann@example.com', role: 'org-admin' }
  const { token } = await identity.must(201, 'POST', '/v1/organizations/acme/invitations', { body: invited })
  const password = 'correct horse battery'
  await identity.must(201, 'POST', '/v1/invitations/accept', { token: null, body: { token, password } })
  const browser = new Browser(identity)
  const { body: session } = await browser.signIn(invited.email, password)
  const ask = (headers = {}) =>
    browser.call('POST', `${house.at.instances}/web-1/exec`, { body: { command: ['cat'] }, headers })
  expect((await ask({ 'stead-csrf': 'x' })).status).toBe(403)
  expect((await ask({ origin: 'https://evil.example' })).status).toBe(403)
  const { body } = await ask()
  const client = await SocketClient.open(identity.url + body.url, { headers: { origin: identity.url } })
  await client.until(() => client.controls.length > 0)
  expect((await browser.call('DELETE', `/v1/me/sessions/${session.metadata.id}`)).status).toBeLessThan(300)
  expect(await client.closed).toMatchObject({ code: 1008 })
})

test('a console shows what was printed before, echoes what is typed, and can be read without one', async () => {
  const { house } = await openHouse(machine())
  const client = await house.open('web-1/console', { scrollbackBytes: 4_096 })
  await client.until(() => client.stdout.includes('login: '))
  client.type('root\r\n')
  await client.until(() => client.stdout.endsWith('root\r\n'))
  const { status, headers, body } = await house.at.call('GET', '/web-1/console/output')
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
  expect(body).toMatch(/login: root\r\n$/)
  expect((await house.at.call('GET', '/web-1/console/output?bytes=4')).body).toBe('ot\r\n')
  client.socket.close()
})

test('a log is read through a WebSocket too, and gone on with from its cursors', async () => {
  const { house } = await openHouse()
  house.print(numbered(0, 3))
  const read = await house.open('web-1/logs', { tail: 2 })
  expect(await read.closed).toMatchObject({ code: 1000 })
  expect(read.texts).toMatchObject([
    { line: 'line 1', service: 'web', stream: 'stdout' },
    { line: 'line 2', cursor: expect.any(String) },
  ])
  const client = await house.open('web-1/logs', { follow: true, after: read.texts[0].cursor })
  house.print(numbered(3, 6))
  await client.until(() => client.texts.length === 4)
  expect(client.texts.map(({ line }) => line)).toEqual(numbered(2, 6))
  const events = await house.follow('web-1', `&after=${client.texts[1].cursor}`)
  await events.until(({ data }) => data.line === 'line 5')
  expect(linesOf(events)).toEqual(numbered(4, 6))
  await house.at.must(202, 'DELETE', '/web-1')
  expect(await client.closed).toMatchObject({ code: 1000 })
  const body = { after: 'x' }
  await house.at.must(404, 'POST', '/nobody/logs', { body })
})
