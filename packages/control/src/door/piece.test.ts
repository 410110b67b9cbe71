import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { millis, realWorld as world } from '@stead/world'
import { expect, onTestFinished, test } from 'vitest'
import { defaultStreamLimits, EventStream, jsonLines } from './event-stream.ts'
import { Piece } from './piece.ts'

const streamTo = (response: ServerResponse, maySend = () => true) =>
  new EventStream({
    ...{ response, format: jsonLines, world, limits: defaultStreamLimits, maySend },
    onBug: () => {},
    onEnd: () => {},
  })

/** Everything a server says to requests as they are written here, until it closes the connection. */
async function ask(requests: string, answer: (path: string, response: ServerResponse) => void): Promise<string> {
  const server = createServer(({ url }, response) => answer(url!, response)).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write(requests)
  let text = ''
  for await (const piece of socket.setEncoding('utf8')) text += piece
  return text
}

/** What is in the chunks of an answer. */
function inChunks(body: string): string {
  const bytes = Buffer.from(body)
  let text = ''
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n', at)
    const length = Number.parseInt(bytes.toString('latin1', at, end), 16)
    if (length === 0) return text
    text += bytes.toString('utf8', end + 2, end + 2 + length)
    at = end + 2 + length + 2
  }
}

const head = 'Host: x\r\nConnection: close\r\n\r\n'
const pieces = ['one\n', 'zwölf\n', `${'x'.repeat(70_000)}\n`].map(text => new Piece(text))

/** Pieces and other text, in the same turn and later. */
async function sendAll(response: ServerResponse): Promise<void> {
  response.writeHead(200)
  const stream = streamTo(response)
  for (let round = 0; round < 3; round++) {
    for (const piece of pieces) stream.writePiece(piece)
    stream.write('between\n')
    stream.writePiece(pieces[0]!)
    await stream.drained()
    await world.sleep(millis(0))
  }
  response.end('end\n')
}

const all = `${pieces.map(({ plain }) => plain.toString()).join('')}between\none\n`.repeat(3)

test('what goes to many is framed like what goes to one, and comes in the order it was sent', async () => {
  const text = await ask(`GET / HTTP/1.1\r\n${head}`, (_, response) => void sendAll(response))
  expect(inChunks(text.slice(text.indexOf('\r\n\r\n') + 4))).toBe(`${all}end\n`)
})

test('who knows no frames gets none', async () => {
  const text = await ask(`GET / HTTP/1.0\r\n${head}`, (_, response) => void sendAll(response))
  expect(text.slice(text.indexOf('\r\n\r\n') + 4)).toBe(`${all}end\n`)
})

test('an answer that has to wait for the one before it waits with all of its pieces', async () => {
  const requests = `GET /first HTTP/1.1\r\nHost: x\r\n\r\nGET /second HTTP/1.1\r\n${head}`
  let first: ServerResponse
  const text = await ask(requests, (path, response) => {
    if (path === '/first') first = response
    else {
      void sendAll(response)
      first.end('first')
    }
  })
  const [, answer, rest] = text.split(/HTTP\/1\.1 200 OK/)
  expect(answer).toMatch(/first$/)
  expect(inChunks(rest!.slice(rest!.indexOf('\r\n\r\n') + 4))).toBe(`${all}end\n`)
})

test('nothing is sent to who may not be sent it', async () => {
  const text = await ask(`GET / HTTP/1.1\r\n${head}`, (_, response) => {
    response.writeHead(200)
    let isAllowed = true
    const stream = streamTo(response, () => isAllowed)
    stream.writePiece(new Piece('seen'))
    isAllowed = false
    stream.writePiece(new Piece('unseen'))
    response.end()
  })
  expect(text).toContain('seen')
  expect(text).not.toContain('unseen')
})
