import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface PageServer {
  readonly url: string
  /** What the page tells once it is done. */
  readonly told: Promise<unknown>
}

interface Served {
  readonly script: string
  readonly about: object
  /** Where everything under /v1 goes: for the page both are one origin, as they are for whoever has a proxy in front. */
  readonly stead: string
}

/** Serves a page that runs a script. */
export async function servePage({ script, about, stead }: Served): Promise<PageServer> {
  const told = Promise.withResolvers<unknown>()
  const { hostname, port } = new URL(stead)
  const files: Readonly<Record<string, readonly [type: string, text: string]>> = {
    '/': ['text/html', '<!doctype html><script type="module" src="/script.js"></script>'],
    '/script.js': ['text/javascript', script],
    '/about': ['application/json', JSON.stringify(about)],
  }
  const server = createServer(async (asked, answer) => {
    const path = asked.url ?? ''
    if (path.startsWith('/v1/')) return pass({ hostname, port }, asked, answer)
    if (path === '/told') {
      told.resolve(JSON.parse((await asked.setEncoding('utf8').toArray()).join('')))
      return void answer.end()
    }
    const [type, text] = files[path] ?? ['text/plain', '']
    answer.writeHead(files[path] ? 200 : 404, { 'content-type': type }).end(text)
  })
  server.on('upgrade', (asked: IncomingMessage, socket: Socket) => {
    const lines = asked.rawHeaders.flatMap((name, at, all) => (at % 2 === 0 ? [`${name}: ${all[at + 1]}`] : []))
    const other = connect(Number(port), hostname, () => {
      other.write([`${asked.method} ${asked.url} HTTP/1.1`, ...lines, '', ''].join('\r\n'))
      other.pipe(socket).pipe(other)
    })
    socket.on('error', () => other.destroy())
    other.on('error', () => socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, told: told.promise }
}

/** As it came, with the name that the page knows us by: what is of another origin must be seen to be. */
function pass(to: { hostname: string; port: string }, asked: IncomingMessage, answer: ServerResponse): void {
  const { method, url, headers } = asked
  const other = request({ ...to, method, path: url, headers }, found => {
    answer.writeHead(found.statusCode!, found.headers)
    found.pipe(answer)
  })
  other.on('error', () => answer.destroy())
  answer.on('close', () => other.destroy())
  asked.pipe(other)
}
