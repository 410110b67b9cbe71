import { connect } from 'node:net'
import { encodeRequest } from '../api/client/messages.ts'
import { KnownChunks, PrintedLines } from './printed-lines.ts'

export interface FollowerRequest {
  readonly port: number
  readonly path: string
  readonly token: string
}

export interface FollowerHooks {
  /** A line has come, so many milliseconds after it was printed. */
  readonly onLine: (late: number) => void
  readonly onEnd: (why: string) => void
}

/** One for all: what was read is looked at before anything else is. */
const buffer = Buffer.allocUnsafe(262_144)

const knownOf = new Map<string, KnownChunks>()

/**
 * Follows a log on the bare socket, without a parser or a stream between: readers share the machine with the server, and should
 * take little of it. Resolves once it is answered.
 */
export function follow({ port, path, token }: FollowerRequest, { onLine, onEnd }: FollowerHooks): Promise<void> {
  return new Promise((resolve, reject) => {
    const known = knownOf.get(path) ?? new KnownChunks()
    knownOf.set(path, known)
    const printed = new PrintedLines(onLine, known)
    let hasAnswer = false
    const take = (length: number): boolean => {
      const now = Date.now()
      const bytes = buffer.subarray(0, length)
      if (!hasAnswer) {
        hasAnswer = true
        const status = bytes.toString('latin1', 9, 12)
        if (status === '200') resolve()
        else reject(new Error(`${path} was answered ${status}`))
      }
      try {
        printed.push(bytes, now)
      } catch (error) {
        onEnd(String(error))
        socket.destroy()
      }
      return true
    }
    const socket = connect({ port, host: '127.0.0.1', onread: { buffer, callback: take } })
    socket.write(encodeRequest({ method: 'GET', path, token }))
    socket.on('error', reject)
    socket.on('close', () => onEnd('the connection was closed'))
  })
}
