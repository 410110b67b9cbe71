import { connect } from 'node:net'
import type { Duplex } from 'node:stream'

// Not imported: an import of all its names would bring Node's fetch along, which is large.
const { request: httpRequest } = process.getBuiltinModule('node:http')
const { connect: connectHttp2 } = process.getBuiltinModule('node:http2')

/** A question to a port of a service, asked from inside its network. */
export type Probe =
  | { readonly type: 'tcp'; readonly port: number }
  | { readonly type: 'http'; readonly port: number; readonly path: string }
  | { readonly type: 'grpc'; readonly port: number; readonly service: string }

const host = '127.0.0.1'

/**
 * Resolves when the answer is good, and rejects when it is not or the signal says that it took too long. Asks through a
 * connection that is there already when one is given: one that leads to where the service is.
 */
export function ask(probe: Probe, signal: AbortSignal, through?: Duplex): Promise<void> {
  switch (probe.type) {
    case 'tcp':
      return askTcp(probe.port, signal)
    case 'http':
      return askHttp(probe.port, probe.path, signal, through)
    case 'grpc':
      return askGrpc(probe.port, probe.service, signal, through)
  }
}

function askTcp(port: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host, signal })
    socket.once('connect', () => {
      socket.destroy()
      resolve()
    })
    socket.once('error', reject)
  })
}

function askHttp(port: number, path: string, signal: AbortSignal, through: Duplex | undefined): Promise<void> {
  const way = through ? { createConnection: () => through } : { agent: false }
  return new Promise((resolve, reject) => {
    const asked = httpRequest({ host, port, path, signal, headers: { 'user-agent': 'stead' }, ...way }, answer => {
      answer.resume()
      const status = answer.statusCode ?? 0
      answer.destroy()
      if (status >= 200 && status < 400) resolve()
      else reject(new Error(`it answered ${status}`))
    })
    asked.once('error', reject)
    asked.end()
  })
}

const serving = 1
const asBytes = (service: string): Buffer => {
  const name = Buffer.from(service)
  return name.length === 0 ? name : Buffer.concat([Buffer.of(0x0a, name.length), name])
}

/** grpc.health.v1.Health/Check. Its two messages have one field each, so they are written and read by hand. */
function askGrpc(port: number, service: string, signal: AbortSignal, through: Duplex | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const session = connectHttp2(`http://${host}:${port}`, through ? { createConnection: () => through } : {})
    const fail = (error: unknown) => {
      session.destroy()
      reject(error)
    }
    signal.addEventListener('abort', () => fail(signal.reason), { once: true })
    session.once('error', fail)
    const stream = session.request({
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Check',
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    const message = asBytes(service)
    const prefix = Buffer.alloc(5)
    prefix.writeUInt32BE(message.length, 1)
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.once('error', fail)
    stream.once('end', () => {
      const answer = Buffer.concat(chunks).subarray(5)
      session.close()
      if (answer[0] === 0x08 && answer[1] === serving) resolve()
      else reject(new Error('it does not say that it is serving'))
    })
    stream.end(Buffer.concat([prefix, message]))
  })
}
