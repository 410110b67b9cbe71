import { request as httpRequest } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'

/** A question to a port of a service, asked from inside its network. */
export type Probe =
  | { readonly type: 'tcp'; readonly port: number }
  | { readonly type: 'http'; readonly port: number; readonly path: string }
  | { readonly type: 'grpc'; readonly port: number; readonly service: string }

const host = '127.0.0.1'

/** Resolves when the answer is good, and rejects when it is not or the signal says that it took too long. */
export function ask(probe: Probe, signal: AbortSignal): Promise<void> {
  switch (probe.type) {
    case 'tcp':
      return askTcp(probe.port, signal)
    case 'http':
      return askHttp(probe.port, probe.path, signal)
    case 'grpc':
      return askGrpc(probe.port, probe.service, signal)
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

function askHttp(port: number, path: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = httpRequest(
      { host, port, path, signal, agent: false, headers: { 'user-agent': 'stead' } },
      answer => {
        answer.resume()
        const status = answer.statusCode ?? 0
        answer.destroy()
        if (status >= 200 && status < 400) resolve()
        else reject(new Error(`it answered ${status}`))
      },
    )
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
function askGrpc(port: number, service: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const session = connectHttp2(`http://${host}:${port}`)
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
