import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'

/** A thread does not inherit the compile cache; without it, reading TypeScript costs each of them some 100 ms. */
function workerEnvironment(): NodeJS.ProcessEnv {
  const directory = getCompileCacheDir()
  return directory ? { ...process.env, NODE_COMPILE_CACHE: dirname(directory) } : process.env
}

export interface ThreadOptions<Answer> {
  /** The file it runs, beside this one. */
  readonly file: string
  readonly data: unknown
  readonly onMessage: (message: Answer) => void
  /** It ended without having been asked to. */
  readonly onDeath: (error: Error) => void
}

/** A worker thread that is expected to live until it is told to close. */
export class Thread<Request, Answer> {
  private readonly worker: Worker
  private readonly gone: Promise<void>
  private closing = false

  constructor({ file, data, onMessage, onDeath }: ThreadOptions<Answer>) {
    this.worker = new Worker(new URL(file, import.meta.url), { workerData: data, env: workerEnvironment() })
    this.worker.on('message', onMessage)
    let cause: Error | undefined
    this.worker.on('error', error => {
      cause = error instanceof Error ? error : new Error(String(error))
    })
    this.gone = new Promise(resolve =>
      this.worker.once('exit', code => {
        if (!this.closing) onDeath(cause ?? new Error(`${file} ended with ${code}`))
        resolve()
      }),
    )
  }

  post(request: Request): void {
    this.worker.postMessage(request)
  }

  /** Asks it to finish what it was sent and end; resolves when it has. */
  close(): Promise<void> {
    this.closing = true
    this.worker.postMessage('close')
    return this.gone
  }

  /** Ends it where it stands. */
  async kill(): Promise<void> {
    this.closing = true
    await this.worker.terminate()
  }
}
