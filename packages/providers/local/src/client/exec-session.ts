import { type ExecExit, type ExecOutput, type ExecSession, ProviderError } from '@stead/provider-kit'
import type { Channel } from '../wire/channel.ts'
import { decodeJson, frameTypes } from '../wire/frames.ts'
import type { ExecNews } from '../wire/words.ts'
import { errorOf } from './line.ts'

/** How much may wait for a slow reader before the other side is held up. */
const waitingBytes = 256 * 1_024

/** The near end of a command that runs inside. Resolves once it was started, or rejects with why it was not. */
export function openExecSession(channel: Channel, signal: AbortSignal): Promise<ExecSession> {
  return new Promise((resolve, reject) => {
    const output = new Output(channel)
    const { promise: exit, resolve: ended, reject: lost } = Promise.withResolvers<ExecExit>()
    exit.catch(() => {}) // who wants to know asks
    const abort = () => {
      lost(signal.reason)
      reject(signal.reason)
      channel.destroy()
    }
    signal.addEventListener('abort', abort, { once: true })
    void channel.closed.then(() => {
      signal.removeEventListener('abort', abort)
      const error = new ProviderError('Unavailable', 'the connection to the command was lost')
      lost(error)
      reject(error)
      output.end()
    })
    channel.onFrame(({ type, payload }) => {
      if (type === frameTypes.stdout) output.push({ stream: 'stdout', data: payload })
      else if (type === frameTypes.stderr) output.push({ stream: 'stderr', data: payload })
      else if (type === frameTypes.json) {
        const news = decodeJson(payload) as ExecNews
        if ('started' in news) resolve(session(channel, output, exit))
        else if ('exit' in news) ended(news.exit)
        else reject(errorOf(news.refused))
      }
    })
  })
}

function session(channel: Channel, output: Output, exit: Promise<ExecExit>): ExecSession {
  return {
    output,
    exit,
    async write(data) {
      if (!channel.send(frameTypes.input, data)) await channel.drained()
    },
    async endInput() {
      channel.send(frameTypes.inputEnd, Buffer.alloc(0))
    },
    async resize(size) {
      channel.sendJson({ resize: size })
    },
    async signal(name) {
      channel.sendJson({ signal: name })
    },
    async close() {
      channel.destroy()
      await channel.closed
    },
  }
}

/** What was printed, in order, for one reader. Several iterations take turns, so that a pause loses nothing. */
class Output implements AsyncIterable<ExecOutput> {
  readonly #channel: Channel
  readonly #queue: ExecOutput[] = []
  #bytes = 0
  #isEnded = false
  #wake: (() => void) | undefined

  constructor(channel: Channel) {
    this.#channel = channel
  }

  push(output: ExecOutput): void {
    this.#queue.push(output)
    this.#bytes += output.data.length
    if (this.#bytes > waitingBytes) this.#channel.pause()
    this.#wake?.()
  }

  end(): void {
    this.#isEnded = true
    this.#wake?.()
  }

  [Symbol.asyncIterator](): AsyncIterator<ExecOutput> {
    return {
      next: async () => {
        for (;;) {
          const value = this.#queue.shift()
          if (value) {
            this.#bytes -= value.data.length
            if (this.#bytes <= waitingBytes) this.#channel.resume()
            return { done: false, value }
          }
          if (this.#isEnded) return { done: true, value: undefined }
          await new Promise<void>(resolve => {
            this.#wake = resolve
          })
        }
      },
    }
  }
}
