import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below those that the kernel gives out by itself (from 32768 on Linux): what is stopped and started again finds its port free. */
const [first, last] = [15_000, 32_000]

/** A loopback port nobody listens on. Another test may take it meanwhile: where a program can listen on port 0, let it. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(first, last)
    if (await isFree(port)) return port
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
