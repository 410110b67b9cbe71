import type { AddressInfo } from 'node:net'
import { type Door, doorServerOptions, receiving } from '@stead/control'
import { type Duration, seconds, type World } from '@stead/world'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Configuration } from '../configuration/index.ts'
import { StartError } from '../exit-codes.ts'
import type { Part } from '../parts.ts'
import { measureAnswers } from './measure.ts'
import { QuietLog } from './quiet-log.ts'
import { type StatusSources, statusRoutes } from './status.ts'
import { readTls } from './tls.ts'

export interface HttpOptions extends StatusSources {
  readonly configuration: Configuration
  readonly world: World
  readonly door: Pick<Door, 'mount'>
}

/** How long a stop waits for requests that are being answered, before it cuts them off. */
const patience: Duration = seconds(10)

/** Listens where the configuration says; answers the URL people can use, and the part to close. */
export async function listen(options: HttpOptions): Promise<{ readonly url: string; readonly part: Part }> {
  const server = buildServer(options)
  await bind(server, options.configuration)
  const part = { name: 'http', close: () => closeGracefully(server, options.world) }
  return { url: urlOf(server, options.configuration), part }
}

function buildServer({ configuration, world, door, ...sources }: HttpOptions): FastifyInstance {
  // Without a log: the door says what is to be said, and tells requests apart by their traces. A log of Fastify's costs
  // each request two listeners and a check of its methods, whether or not anything is logged.
  const server: FastifyInstance = Fastify({
    logController: new QuietLog(),
    ...doorServerOptions({ world, behindProxy: configuration.behindProxy }),
    ...(configuration.tls && { https: { ...readTls(configuration.tls), ...receiving() } }),
  })
  void server.register(async scope => {
    measureAnswers(scope, sources.metrics)
    statusRoutes(scope, sources)
  })
  door.mount(server)
  return server
}

async function bind(server: FastifyInstance, { listen: { host, port }, listenOrigin }: Configuration): Promise<void> {
  try {
    await server.listen({ host, port })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') throw new StartError('address_in_use', `${host}:${port} is in use by another program`)
    const isAboutAddress = ['EACCES', 'EADDRNOTAVAIL', 'EAI_AGAIN', 'EAFNOSUPPORT', 'ENOTFOUND'].includes(code ?? '')
    if (!isAboutAddress) throw error
    throw new StartError('usage', `cannot listen on ${host}:${port} (set in ${listenOrigin}): ${message}`, {
      cause: error,
    })
  }
}

async function closeGracefully(server: FastifyInstance, world: World): Promise<void> {
  const deadline = world.setTimer(patience, () => server.server.closeAllConnections())
  try {
    await server.close()
  } finally {
    deadline.cancel()
  }
}

function urlOf(server: FastifyInstance, { listen: { host }, tls }: Configuration): string {
  // Asked of the server: port 0 in the configuration means any that is free.
  const address = server.addresses()[0] as AddressInfo
  return `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${address.port}`
}
