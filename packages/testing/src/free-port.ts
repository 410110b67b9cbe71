import { createServer } from 'node:net'

/** A loopback port nobody listens on. Another process may take it meanwhile: where a program can listen on port 0, let it. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      if (address === null || typeof address === 'string') return reject(new Error('listening, but on no port'))
      server.close(() => resolve(address.port))
    })
  })
}
