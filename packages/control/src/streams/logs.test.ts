import { expect, test } from 'vitest'
import type { EventClient } from '../door/tests/event-client.ts'
import { services } from '../instances/tests/house.ts'
import { linesOf, numbered, StreamHouse } from './tests/stream-house.ts'
import { WatchedProvider } from './tests/watched-provider.ts'

const patience = { interval: 5 }
const sees = (client: EventClient, lines: readonly string[]) =>
  expect.poll(() => linesOf(client), patience).toEqual(lines)
const isLine = (text: string) => text.startsWith('line ')

test('a log is read by its end, its time and its service, and what is read ends', async () => {
  const house = await StreamHouse.open()
  await house.at.running('web-1', services({}, { side: { image: 'host', role: 'sidecar' } }))
  house.print(numbered(0, 5))
  house.print(['aside'], { service: 'side' })
  const read = async (query: string, headers = {}) => {
    const { status, body } = await house.at.call('GET', `/web-1/logs${query}`, { headers })
    expect(status).toBe(200)
    return body as string
  }
  const linesIn = (text: string) => [...text.matchAll(/"line":"([^"]*)"/g)].map(([, line]) => line!)
  const all = await read('')
  expect(linesIn(all).filter(isLine)).toEqual(numbered(0, 5))
  expect(all).not.toContain('aside')
  expect(all).toMatch(/event: end\ndata: \{"reason":"finished","detail":"[^"]+"\}\n\n$/)
  expect(linesIn(await read('?tail=2'))).toEqual(numbered(3, 5))
  expect(linesIn(await read('?service=side&tail=1'))).toEqual(['aside'])
  expect(linesIn(await read('?service=*'))).toContain('aside')
  expect(linesIn(await read('?since=1h')).filter(isLine)).toEqual(numbered(0, 5))
  expect(linesIn(await read('?since=2099-01-01T00:00:00Z'))).toEqual([])
  const documents = (await read('?tail=2', { accept: 'application/x-ndjson' })).trim().split('\n')
  const [first, second, end] = documents.map(line => JSON.parse(line))
  expect([first.line, second.line, end.end.reason]).toEqual(['line 3', 'line 4', 'finished'])
  expect(linesIn(await read(`?after=${first.cursor}`))).toEqual(['line 4'])
})

test('what cannot be read is refused before anything is sent, and says why', async () => {
  const house = await StreamHouse.open()
  const must = house.at.must.bind(house.at)
  house.cloud.script('errorBefore', { on: 'launch', times: 2 })
  await house.at.create('early')
  expect(await must(409, 'GET', '/early/logs')).toMatchObject({ code: 'not_ready', phase: expect.any(String) })
  await house.at.running('web-1')
  for (const query of ['service=nobody', 'since=yesterday', 'tail=-1', 'after=x', 'after=WyJhIl0'])
    expect((await must(400, 'GET', `/web-1/logs?${query}`)).errors[0].path).toBe(`?${query.split('=')[0]}`)
  const headers = { 'last-event-id': 'x' }
  expect((await must(400, 'GET', '/web-1/logs', { headers })).errors[0].path).toBe('Last-Event-ID')
  await must(404, 'GET', '/nobody/logs')
})

test('what a region cannot do is refused as such', async () => {
  const house = await StreamHouse.open({ provider: new WatchedProvider({ lacks: ['logs'] }).definition })
  await house.at.create('web-1')
  expect((await house.at.must(501, 'GET', '/web-1/logs')).code).toBe('unsupported')
})

test('followers of one log share one read of the provider, and it ends with the last of them', async () => {
  const provider = new WatchedProvider()
  const house = await StreamHouse.open({ provider: provider.definition })
  await house.at.running('web-1')
  const queries = ['', '&tail=0', '&tail=3', '&since=1h', '&service=web']
  const followers = await Promise.all(queries.map(query => house.follow('web-1', query)))
  await expect.poll(() => provider.following, patience).toBe(1)
  // A line that is printed before a follower has begun is not new to it.
  const [begun] = followers
  house.print(['first'])
  await begun!.until(({ data }) => data.line === 'first')
  house.print(numbered(0, 900))
  for (const follower of followers)
    await expect.poll(() => linesOf(follower).filter(isLine), patience).toEqual(numbered(0, 900))
  expect(provider.following).toBe(1)
  for (const follower of followers) follower.leave()
  await expect.poll(() => provider.following, patience).toBe(0)
})

test('who comes back goes on after the last line it has, with none lost or doubled', async () => {
  const house = await StreamHouse.open()
  await house.at.running('web-1')
  const seen: string[] = []
  let last: string | undefined
  for (let round = 0; round < 8; round++) {
    const client = await house.follow('web-1', '&tail=1000', {
      headers: last === undefined ? {} : { 'last-event-id': last },
    })
    house.print(numbered(round * 100, round * 100 + 50))
    await client.until(({ data }) => data.line === `line ${round * 100 + 20}`)
    house.print(numbered(round * 100 + 50, round * 100 + 100))
    client.leave()
    await client.ended
    seen.push(...linesOf(client))
    last = client.events.filter(({ id }) => id !== undefined).at(-1)!.id
  }
  const rest = await house.follow('web-1', '', { headers: { 'last-event-id': last! } })
  await rest.until(({ data }) => data.line === 'line 799')
  expect([...seen, ...linesOf(rest)].filter(isLine)).toEqual(numbered(0, 800))
})

test('a log goes on when its instance is restarted, and when it is replaced', async () => {
  const house = await StreamHouse.open()
  const { metadata } = await house.at.running('web-1')
  const client = await house.follow('web-1', '&tail=0')
  const late = await house.follow('web-1', '&tail=0')
  house.print(['before'])
  for (const each of [client, late]) await each.until(({ data }) => data.line === 'before')
  late.leave()
  await house.at.must(202, 'POST', '/web-1/restart', { body: {} })
  await house.at.settled('web-1')
  house.print(['restarted'])
  await client.until(({ data }) => data.line === 'restarted')
  const { operation } = await house.at.must(202, 'PATCH', '/web-1?allow=replace', {
    body: { spec: services({ image: 'other' }) },
  })
  expect((await house.at.ended(operation.id)).state).toBe('succeeded')
  house.print(['replaced'])
  await client.until(({ data }) => data.line === 'replaced')
  const ours = (each: EventClient) => linesOf(each).filter(line => line !== 'web started')
  expect(ours(client)).toEqual(['before', 'restarted', 'replaced'])
  expect(client.events.some(({ data }) => data.gap)).toBe(false)
  await expect.poll(() => house.at.serversOf(metadata.id).length, patience).toBe(1)
  // What it has not seen of the server that is gone is lost, and said to be.
  const again = await house.follow('web-1', '', { headers: { 'last-event-id': late.events.at(-1)!.id! } })
  await again.until(({ data }) => data.line === 'replaced')
  expect(again.events[0]!.data.gap).toBe(true)
  await house.at.must(202, 'DELETE', '/web-1')
  expect(await client.until(({ event }) => event === 'end')).toMatchObject({ data: { reason: 'finished' } })
  await client.ended
})

test('readers that do not read hold up nobody, and miss nothing once they do', async () => {
  const house = await StreamHouse.open({ profile: { keepLines: 10_000 } })
  await house.at.running('web-1')
  const [slow, quick] = [await house.follow('web-1', '&tail=0'), await house.follow('web-1', '&tail=0')]
  house.print(['first'])
  for (const each of [slow, quick]) await each.until(({ data }) => data.line === 'first')
  const socket = await house.open('web-1/logs', { follow: true, tail: 1 })
  await socket.until(() => socket.texts.length === 1)
  slow.pause()
  socket.socket.pause()
  // More than the shared end of the log holds, and less than the backend keeps.
  const long = 'x'.repeat(2_000)
  const beginnings = (lines: readonly string[]) => lines.slice(1).map(line => line.slice(0, 9))
  for (let from = 1_000; from < 5_500; from += 900) {
    house.print(numbered(from, from + 900).map(line => `${line} ${long}`))
    await quick.until(({ data }) => data.line.startsWith(`line ${from + 899}`))
  }
  expect(beginnings(linesOf(quick))).toEqual(numbered(1_000, 5_500))
  slow.resume()
  socket.socket.resume()
  await slow.until(({ data }) => data.line.startsWith('line 5499'))
  expect(beginnings(linesOf(slow))).toEqual(numbered(1_000, 5_500))
  expect(slow.events.some(({ event }) => event === 'end')).toBe(false)
  await socket.until(() => socket.texts.at(-1).line.startsWith('line 5499'))
  expect(beginnings(socket.texts.map(({ line }) => line))).toEqual(numbered(1_000, 5_500))
})

test('a backend that goes away for a moment costs no line', async () => {
  const provider = new WatchedProvider()
  const house = await StreamHouse.open({ provider: provider.definition })
  await house.at.running('web-1')
  const client = await house.follow('web-1', '&tail=0')
  house.print(numbered(0, 10))
  await client.until(({ data }) => data.line === 'line 9')
  const endOutage = house.cloud.outage({ kind: 'outage' })
  provider.breakOff()
  house.print(numbered(10, 20))
  expect((await house.at.must(503, 'GET', '/web-1/logs')).code).toBe('unavailable')
  endOutage()
  await client.until(({ data }) => data.line === 'line 19')
  await sees(client, numbered(0, 20))
})

test('a follower is cut when its right is withdrawn, and gets nothing more', async () => {
  const house = await StreamHouse.open()
  const { house: identity } = house.at
  const ci = await identity.account('acme', 'ci', { role: 'developer' })
  await house.at.running('web-1')
  const client = await house.follow('web-1', '&tail=0', { token: ci.token })
  house.print(['seen'])
  await client.until(({ data }) => data.line === 'seen')
  await identity.must(202, 'DELETE', `${ci.path}/tokens/${ci.tokenId}`)
  house.print(['unseen'])
  expect(await client.until(({ event }) => event === 'end')).toMatchObject({ data: { reason: 'rights_withdrawn' } })
  await client.ended
  await sees(client, ['seen'])
  const reader = await identity.account('acme', 'reader', { role: 'reader' })
  expect((await house.follow('web-1', '', { token: reader.token })).status).toBe(403)
})

test('when Stead is restarted in mid-stream, its readers go on where they were', async () => {
  const house = await StreamHouse.open()
  const { house: identity } = house.at
  await house.at.running('web-1')
  const client = await house.follow('web-1', '&tail=0')
  house.print(numbered(0, 10))
  await client.until(({ data }) => data.line === 'line 9')
  await identity.stop()
  await client.ended
  expect(client.events.at(-1)).toMatchObject({ event: 'end', data: { reason: 'shutting_down' } })
  house.print(numbered(10, 20))
  await identity.start()
  const id = client.events.filter(each => each.id !== undefined).at(-1)!.id!
  const again = await house.follow('web-1', '&tail=0', { headers: { 'last-event-id': id } })
  house.print(numbered(20, 30))
  await again.until(({ data }) => data.line === 'line 29')
  expect([...linesOf(client), ...linesOf(again)]).toEqual(numbered(0, 30))
})
