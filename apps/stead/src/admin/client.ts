import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { json } from 'node:stream/consumers'
import { socketPath } from './path.ts'

/** The Stead that uses this data directory refused, or failed at, what it was asked. */
export class AdminError extends Error {
  override readonly name = 'AdminError'
}

/** Asks the Stead that runs on this data directory; undefined when none does. */
export async function askRunning(data: string, command: string, body: object): Promise<unknown> {
  if (!existsSync(data)) return undefined
  const { path, release } = socketPath(data)
  try {
    const sent = request({ socketPath: path, method: 'POST', path: `/${command}` })
    sent.end(JSON.stringify(body))
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    const answer = (await json(response)) as { error?: string }
    if (response.statusCode !== 200) throw new AdminError(answer.error ?? `answered ${response.statusCode}`)
    return answer
  } catch (error) {
    if (['ENOENT', 'ECONNREFUSED'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  } finally {
    release()
  }
}
