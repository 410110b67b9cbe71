import { parentPort, workerData } from 'node:worker_threads'
import { readerCalls } from './reader-calls.ts'
import type { ReadAnswer, ReadRequest } from './reader-client.ts'
import { threadFailure } from './thread-failure.ts'

/** Serves reads on a thread of its own: a heavy one delays other reads, but never a commit and never the event loop. */
const port = parentPort!
const { path } = workerData as { readonly path: string }
let calls: ReturnType<typeof readerCalls> | undefined

function answer({ id, method, args }: ReadRequest): ReadAnswer {
  try {
    // On the first request: by then the writer has made the file and its tables.
    calls ??= readerCalls(path)
    const call = calls[method] as (...args: unknown[]) => unknown
    return { id, value: call(...args) }
  } catch (error) {
    return { id, ...threadFailure(error) }
  }
}

port.on('message', (request: ReadRequest | 'close') => {
  if (request !== 'close') return port.postMessage(answer(request))
  calls?.close()
  port.close()
})
