import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createSocketServer, type Server } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { HttpConnection } from './connection.ts'
import { encodeRequest } from './messages.ts'

async function connectionTo(server: Server): Promise<HttpConnection> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const connection = await HttpConnection.open((server.address() as AddressInfo).port)
  onTestFinished(() => {
    connection.close()
    server.close()
  })
  return connection
}

const answeredBy = (listener: RequestListener) => connectionTo(createServer(listener))

/** Answers whatever it is sent with these pieces, one packet each. */
const piecewise = (pieces: readonly string[]) =>
  connectionTo(
    createSocketServer(socket => {
      socket.setNoDelay(true)
      socket.on('data', async () => {
        for (const piece of pieces) {
          socket.write(piece)
          await new Promise(resolve => setTimeout(resolve, 5))
        }
      })
    }),
  )

const get = encodeRequest({ method: 'GET', path: '/' })

test('a request reaches a server whole, and its answer comes back whole, again and again on one connection', async () => {
  const sockets = new Set()
  const connection = await answeredBy(async (request, response) => {
    sockets.add(request.socket)
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const { method, url, headers } = request
    const text = JSON.stringify({ method, url, authorization: headers.authorization, body })
    response.writeHead(201, { 'content-length': Buffer.byteLength(text) }).end(text)
  })
  const body = { name: 'größe' }
  const request = encodeRequest({ method: 'POST', path: '/things', token: 't', body })
  for (let turn = 0; turn < 3; turn++) {
    const answer = await connection.ask(request)
    expect(answer.status).toBe(201)
    expect(JSON.parse(answer.body.toString())).toEqual({
      method: 'POST',
      url: '/things',
      authorization: 'Bearer t',
      body: JSON.stringify(body),
    })
  }
  expect(sockets.size).toBe(1)
})

test('an answer may come in pieces, cut anywhere', async () => {
  const connection = await piecewise(['HTTP/1.1 200 O', 'K\r\nContent-Length: 5\r', '\n\r', '\nab', 'cde'])
  const { status, body } = await connection.ask(get)
  expect([status, body.toString()]).toEqual([200, 'abcde'])
})

test('what cannot be read as the answer to one request is an error', async () => {
  for (const [said, why] of [
    ['HTTP/1.1 200 OK\r\n\r\n', 'not an answer with a length'],
    ['nonsense\r\n\r\n', 'not an answer with a length'],
    ['HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nabc', 'more than was asked'],
  ] as const)
    await expect((await piecewise([said])).ask(get)).rejects.toThrow(why)
})

test('a connection that ends before the answer is an error, and so is asking on it afterwards', async () => {
  const connection = await answeredBy(request => request.socket.destroy())
  await expect(connection.ask(get)).rejects.toThrow('closed')
  await expect(connection.ask(get)).rejects.toThrow('closed')
})

test('a second request before the first is answered is refused: it would be measured as the first', async () => {
  const connection = await answeredBy((_, response) => void response)
  void connection.ask(get).catch(() => {})
  await expect(connection.ask(get)).rejects.toThrow('not answered yet')
})
