import { once } from 'node:events'
import { createServer as createHttp } from 'node:http'
import { createServer as createHttp2 } from 'node:http2'
import type { AddressInfo, Server } from 'node:net'
import { freePort } from '@stead/testing'
import { expect, onTestFinished, test } from 'vitest'
import { ask } from './index.ts'

const patient = () => new AbortController().signal

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** The health service of gRPC, answering this status. */
function health(status: number, seen: (name: string) => void = () => {}) {
  const server = createHttp2()
  server.on('stream', (stream, headers) => {
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('end', () => {
      seen(`${headers[':path']} ${Buffer.concat(chunks).subarray(7).toString()}`)
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
      stream.end(Buffer.from([0, 0, 0, 0, 2, 8, status]))
    })
  })
  return server
}

test('http: an answer from 200 to 399 is good, any other is not', async () => {
  for (const [status, isGood] of [
    [200, true],
    [302, true],
    [404, false],
    [503, false],
  ] as const) {
    const port = await listening(createHttp((_, reply) => void reply.writeHead(status).end()))
    const asked = ask({ type: 'http', port, path: '/health' }, patient())
    if (isGood) await asked
    else await expect(asked).rejects.toThrow(`it answered ${status}`)
  }
})

test('grpc: only "serving" is good, and the service is asked for by its name', async () => {
  const seen: string[] = []
  const port = await listening(health(1, name => seen.push(name)) as unknown as Server)
  await ask({ type: 'grpc', port, service: 'shop.Cart' }, patient())
  expect(seen).toEqual(['/grpc.health.v1.Health/Check shop.Cart'])
  const other = await listening(health(2) as unknown as Server)
  await expect(ask({ type: 'grpc', port: other, service: '' }, patient())).rejects.toThrow('serving')
})

test('nobody there is no good answer, to any of them', async () => {
  const port = await freePort()
  for (const probe of [
    { type: 'tcp', port },
    { type: 'http', port, path: '/' },
    { type: 'grpc', port, service: '' },
  ] as const)
    await expect(ask(probe, patient())).rejects.toThrow('ECONNREFUSED')
})
