import { Duplex, Readable } from 'node:stream'
import type { Engine } from '../engine/engine.ts'
import { framesOf } from '../engine/frames.ts'
import { environmentFile, insideProgram } from '../inside/install.ts'

export interface Target {
  readonly container: string
  /** Its environment is in a file. */
  readonly isSecretive: boolean
}

/** The words that run a command as a session of its own, with the environment of the service. */
export const sessionWords = ({ isSecretive }: Target, command: readonly string[]): string[] => [
  ...[insideProgram, 'session', isSecretive ? environmentFile : '-'],
  ...command,
]

/** Runs a command inside, without input, and answers how it ended. What takes too long is ended with all it started. */
export async function runInside(
  engine: Engine,
  target: Target,
  command: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const body = { AttachStdout: true, AttachStderr: true, Cmd: sessionWords(target, command) }
  const { Id } = await engine.createExec(target.container, body)
  const socket = await engine.startExec(Id, false, signal)
  let pid = ''
  const stop = () => {
    socket.destroy()
    if (/^\d+\n/.test(pid)) void endSession(engine, target.container, pid.trim()).catch(() => {})
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    for await (const { stream, data } of framesOf(socket))
      if (stream === 'stdout' && !pid.includes('\n')) pid += data.toString('latin1')
    signal.throwIfAborted()
    return await engine.exitCode(Id)
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
    socket.destroy()
  }
}

/** Kills everything in a session. */
export const endSession = (engine: Engine, container: string, pid: string): Promise<void> =>
  order(engine, container, ['end', pid])

/** Has the small program do something, and does not wait for it. */
export async function order(engine: Engine, container: string, words: readonly string[]): Promise<void> {
  const { Id } = await engine.createExec(container, { AttachStdout: true, Cmd: [insideProgram, ...words], User: '0' })
  const socket = await engine.startExec(Id, false)
  socket.resume()
  await new Promise(resolve => socket.once('close', resolve))
}

/** A connection to something inside that the small program opens. */
export async function openSession(engine: Engine, container: string, words: readonly string[], signal: AbortSignal) {
  const body = { AttachStdin: true, AttachStdout: true, Cmd: [insideProgram, ...words] }
  const { Id } = await engine.createExec(container, body)
  const socket = await engine.startExec(Id, false, signal)
  const frames = framesOf(socket)[Symbol.asyncIterator]()
  let early: Buffer | undefined
  const close = () => socket.destroy()
  signal.addEventListener('abort', close, { once: true })
  async function* output() {
    if (early && early.length > 0) yield early
    for (let next = await frames.next(); !next.done; next = await frames.next()) yield next.value.data
  }
  return {
    /** Its first byte says that there is somebody at the other end. */
    async isConnected(): Promise<boolean> {
      const first = await frames.next()
      early = first.done ? undefined : first.value.data.subarray(1)
      return !first.done
    },
    get duplex(): Duplex {
      return Duplex.from({ readable: Readable.from(output()), writable: socket })
    },
    close() {
      signal.removeEventListener('abort', close)
      close()
    },
  }
}
