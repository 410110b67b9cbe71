import { mkdirSync, renameSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { ProviderError } from '@stead/provider-kit'
import { millis } from '@stead/world'
import { expect, test, vi } from 'vitest'
import { shop } from '../networks/tests/network-house.ts'
import { content, openImageHouse, openSource, sha256 } from './tests/image-house.ts'

const upload = { upload: { sizeBytes: content.length, sha256: sha256(content) } }

test('an import is fetched, checked, made in its region and charged, and leaves nothing when it is deleted', async () => {
  const { house, sky, image, until, used, outside, staged } = await openImageHouse()
  const { url, asked } = await openSource()
  const made = await image('debian', { url, sha256: sha256(content), sizeBytes: content.length })
  expect(made).toMatchObject({
    metadata: { name: 'debian' },
    spec: { region: sky.metadata.id },
    status: { state: 'pending' },
  })
  const ready = await until('images/debian', 'ready')
  expect(ready.status.content).toEqual({ sizeBytes: content.length, sha256: sha256(content) })
  expect(ready.status.progress).toBeUndefined()
  expect(asked).toHaveLength(1)
  expect(outside().map(each => each.view())).toMatchObject([
    { name: 'debian', sizeBytes: content.length, tags: { 'stead.resource-id': made.metadata.id } },
  ])
  await expect.poll(staged).toEqual([])
  expect(await used('images')).toBe(1)
  const events = await house.must(200, 'GET', `${shop}/images/debian/events`)
  expect(events.items.map(({ reason }: { reason: string }) => reason)).toEqual(['Ready', 'Staged', 'Created'])
  await house.must(202, 'DELETE', `${shop}/images/debian`)
  await house.gone(`${shop}/images/debian`)
  expect(outside()).toEqual([])
  expect(await used('images')).toBe(0)
  await image('debian', { url })
})

test('an upload waits for its content, and is made of it', async () => {
  const { house, image, until, put, outside, staged } = await openImageHouse()
  await image('own', upload)
  const waiting = await house.must(200, 'GET', `${shop}/images/own`)
  expect(waiting.status.state).toBe('pending')
  const conditions = async () => (await house.must(200, 'GET', `${shop}/images/own`)).status.conditions
  await expect.poll(conditions).toMatchObject([{ type: 'Delayed', reason: 'Needs' }])
  const answer = await put('own', content)
  expect(answer).toMatchObject({ status: 200, body: { status: { state: 'transferring', content: upload.upload } } })
  expect(answer.body.status.conditions).toEqual([])
  const ready = await until('images/own', 'ready')
  expect(ready.status.conditions ?? []).toEqual([])
  expect(outside()[0]!.view().sizeBytes).toBe(content.length)
  await expect.poll(staged).toEqual([])
  expect(await put('own', content)).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
})

test('an upload that is not what was announced is refused, and nothing of it is kept', async () => {
  const { house, image, until, put, staged, used } = await openImageHouse()
  await image('own', upload)
  const other = Buffer.from(content.toReversed())
  const chunked = (...chunks: Buffer[]) =>
    new ReadableStream({
      start(stream) {
        for (const chunk of chunks) stream.enqueue(chunk)
        stream.close()
      },
    })
  expect(await put('own', Buffer.concat([content, content]))).toMatchObject({
    status: 413,
    body: { code: 'too_large' },
  })
  expect(await put('own', chunked(content, content))).toMatchObject({ status: 413, body: { code: 'too_large' } })
  expect(await put('own', content.subarray(1))).toMatchObject({ status: 422, body: { code: 'invalid' } })
  expect(await put('own', chunked(content.subarray(1)))).toMatchObject({ status: 422, body: { code: 'invalid' } })
  const wrong = await put('own', other)
  expect(wrong).toMatchObject({
    status: 422,
    body: { code: 'invalid', detail: expect.stringContaining('has the checksum') },
  })
  expect(staged()).toEqual([])
  expect((await house.must(200, 'GET', `${shop}/images/own`)).status.state).toBe('pending')
  expect((await put('own', content)).status).toBe(200)
  await until('images/own', 'ready')
  expect(await used('images')).toBe(1)
})

test('a client that goes away midway leaves nothing behind, and may come again', async () => {
  const { house, image, until, put, staged } = await openImageHouse()
  await image('own', upload)
  const head = `PUT ${shop}/images/own/content HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${house.admin}\r\n`
  const socket = connect(Number(new URL(house.url).port), '127.0.0.1', () => {
    socket.write(`${head}content-type: application/octet-stream\r\ncontent-length: ${content.length}\r\n\r\n`)
    socket.write(content.subarray(0, 1_000))
  })
  await expect.poll(staged).toHaveLength(1)
  socket.destroy()
  await expect.poll(staged).toEqual([])
  expect((await put('own', content)).status).toBe(200)
  await until('images/own', 'ready')
})

test('whoever loses the right to it while it comes brings nothing', async () => {
  const { house, image, put, staged } = await openImageHouse()
  await image('own', upload)
  const { token, tokenId, path } = await house.account('acme', 'robot', { role: 'developer', project: 'shop' })
  const revoking = new ReadableStream({
    async start(stream) {
      stream.enqueue(content.subarray(0, 1_000))
      await expect.poll(staged).toHaveLength(1)
      await house.must(202, 'DELETE', `${path}/tokens/${tokenId}`)
      stream.enqueue(content.subarray(1_000))
      stream.close()
    },
  })
  expect(await put('own', revoking, token)).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
  expect(staged()).toEqual([])
  expect((await house.must(200, 'GET', `${shop}/images/own`)).status.state).toBe('pending')
})

test('the same upload sent several times at once makes one image', async () => {
  const { image, until, put, outside, staged } = await openImageHouse()
  await image('own', upload)
  const answers = await Promise.all(Array.from({ length: 4 }, () => put('own', content)))
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1)
  for (const { status } of answers) expect([200, 409]).toContain(status)
  await until('images/own', 'ready')
  expect(outside()).toHaveLength(1)
  await expect.poll(staged).toEqual([])
})

test.each<[string, (url: string) => object, string]>([
  ['with another checksum', url => ({ url, sha256: 'f'.repeat(64) }), 'has the checksum'],
  ['shorter than announced', url => ({ url, sizeBytes: content.length + 1 }), `is ${content.length} bytes long`],
  ['longer than announced', url => ({ url, sizeBytes: content.length - 1 }), 'larger than'],
  ['larger than any may be', url => ({ url: `${url}?huge` }), 'larger than the 1000000 bytes'],
  ['larger than any may be, and not saying so', url => ({ url: `${url}?endless` }), 'larger than the 1000000 bytes'],
  ['that is not there', url => ({ url: `${url}?missing` }), 'answers with status 404'],
  ['that is empty', url => ({ url: `${url}?empty` }), 'is empty'],
])('an import %s fails with its reason, and leaves nothing', async (_, source, reason) => {
  const { house, image, until, used, outside, staged } = await openImageHouse()
  const { url } = await openSource((request, response) => {
    const [, how] = request.url!.split('?')
    if (how === 'missing') response.writeHead(404).end()
    else if (how === 'empty') response.end()
    else if (how === 'huge') response.end(Buffer.alloc(1_000_001))
    else if (how === 'endless') {
      const more = () => void (response.writable && response.write(Buffer.alloc(100_000), more))
      more()
    } else response.end(content)
  })
  await image('debian', source(url))
  const { status } = await until('images/debian', 'failed')
  expect(status.reason).toContain(reason)
  await expect.poll(staged).toEqual([])
  expect(outside()).toEqual([])
  expect(await used('images')).toBe(1)
  await house.must(202, 'DELETE', `${shop}/images/debian`)
  await house.gone(`${shop}/images/debian`)
  expect(await used('images')).toBe(0)
})

test('an import goes through the guarded way out: the inside cannot be reached by it', async () => {
  const { image, until } = await openImageHouse({ guarded: true })
  const { url, asked } = await openSource()
  await image('inside', { url })
  const { status } = await until('images/inside', 'failed')
  expect(status.reason).toContain('may not be reached from here')
  expect(asked).toEqual([])
  await image('credentials', { url: 'http://ann:secret@example.com/' }, 422)
  await image('file', { url: 'file:///etc/passwd' }, 422)
})

test('a source that fails is asked again', async () => {
  const { image, until } = await openImageHouse()
  let count = 0
  const { url } = await openSource((_request, response) => {
    count++
    if (count === 1) response.writeHead(503).end()
    else if (count === 2)
      response.writeHead(200, { 'content-length': content.length }).write('half', () => response.destroy())
    else response.end(content)
  })
  await image('debian', { url })
  await until('images/debian', 'ready')
  expect(count).toBe(3)
})

test('an image that is deleted while it comes stops coming, and leaves nothing', async () => {
  const { house, image, until, staged, used } = await openImageHouse()
  const { url } = await openSource((request, response) => {
    const timer = setInterval(() => response.write('x'), 20)
    request.socket.on('close', () => clearInterval(timer))
  })
  await image('slow', { url })
  expect((await until('images/slow', 'transferring')).status.progress).toEqual({ transferredBytes: 0 })
  await expect.poll(staged).toHaveLength(1)
  await house.must(202, 'DELETE', `${shop}/images/slow`)
  await house.gone(`${shop}/images/slow`)
  expect(staged()).toEqual([])
  expect(await used('images')).toBe(0)
})

test('what is settled writes nothing', async () => {
  const { house, image, until } = await openImageHouse()
  const { url } = await openSource()
  await image('debian', { url })
  const { metadata } = await until('images/debian', 'ready')
  await house.world.sleep(millis(300))
  expect((await house.must(200, 'GET', `${shop}/images/debian`)).metadata.revision).toBe(metadata.revision)
})

test('staged content that cannot be found is told and waited for', async () => {
  const { house, cloud, image, put, until, staging } = await openImageHouse()
  const away = join(house.directory, 'away')
  const { images } = cloud.account()
  const create = vi.spyOn(images, 'create').mockImplementationOnce(() => {
    renameSync(staging, away)
    mkdirSync(staging)
    throw new ProviderError('Unavailable', 'not now')
  })
  await image('own', upload)
  await put('own', content)
  const read = () => house.must(200, 'GET', `${shop}/images/own`)
  await expect
    .poll(async () => (await read()).status.conditions?.[0])
    .toMatchObject({
      type: 'Delayed',
      reason: 'ContentMissing',
      message: expect.stringContaining('same staging directory'),
    })
  expect((await read()).status.state).toBe('transferring')
  expect(create).toHaveBeenCalledTimes(1)
  renameSync(join(away, `${(await read()).metadata.id}.image`), join(staging, `${(await read()).metadata.id}.image`))
  await house.must(200, 'PATCH', `${shop}/images/own`, { body: { labels: { looked: 'at' } } })
  expect((await until('images/own', 'ready')).status.conditions ?? []).toEqual([])
})
