import { once } from 'node:events'
import { chmodSync, rmSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Logger } from 'pino'
import type { Part } from '../parts.ts'
import { socketPath } from './path.ts'

// Imported, it would bring along all of undici, which is 13 MB: Node looks at each of its exports.
const { createServer } = process.getBuiltinModule('node:http')

/** What can be asked on the machine itself: a name, and what it does with what was sent. */
export type AdminCommands = Readonly<Record<string, (body: Record<string, unknown>) => Promise<unknown>>>

export interface AdminServerOptions {
  readonly data: string
  readonly log: Logger
  readonly commands: AdminCommands
}

/**
 * Answers the commands that are run on the machine itself (`stead backup`, `stead resume`) while Stead runs.
 * A unix socket in the data directory: whoever may read that directory owns everything in it already, so there is
 * nothing to authenticate.
 */
export async function openAdminSocket({ data, log, commands }: AdminServerOptions): Promise<Part> {
  const server = createServer((request, response) => {
    answer(request, response).catch(error => {
      log.error({ error, command: request.url }, 'an admin command failed')
      reply(response, 500, { error: error instanceof Error ? error.message : String(error) })
    })
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = request.url?.slice(1) ?? ''
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined
    if (request.method !== 'POST' || !command)
      return reply(response, 404, { error: `there is no admin command ${name}` })
    log.info({ command: name }, 'admin command')
    reply(response, 200, (await command(JSON.parse((await text(request)) || '{}'))) ?? {})
  }

  const { path, release } = socketPath(data)
  // Left behind by a process that was killed. We hold the store's lock, so nobody listens there.
  rmSync(path, { force: true })
  server.listen(path)
  await once(server, 'listening')
  chmodSync(path, 0o600)
  return {
    name: 'admin socket',
    async close() {
      server.close()
      server.closeIdleConnections()
      await once(server, 'close')
      release()
    },
  }
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
