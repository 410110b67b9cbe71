import { parentPort, workerData } from 'node:worker_threads'
import { OpenError, type OpenFailure } from '../words/errors.ts'
import type { Revision } from '../words/object.ts'
import type { StoreIdentity } from '../words/store.ts'
import { BatchRunner } from './batch.ts'
import { Checkpointer } from './checkpointer.ts'
import type { Circumstances } from './identity.ts'
import { openForWriting } from './open.ts'
import { SqliteReader } from './reader.ts'
import { type PackedBatch, unpackBatch } from './transport.ts'

export interface WriterStart extends Pick<Circumstances, 'newStoreId' | 'witness'> {
  readonly path: string
}

/** The first thing the thread says. */
export type WriterReady =
  | { readonly identity: StoreIdentity; readonly head: Revision; readonly compacted: Revision }
  | { readonly refused: OpenFailure; readonly message: string }

/** The one writer, on a thread of its own: a slow disk must not stall the event loop. */
const port = parentPort!
const { path, ...circumstances } = workerData as WriterStart

function start(): void {
  const { database, identity } = openForWriting(path, circumstances)
  const runner = new BatchRunner(database)
  const checkpointer = new Checkpointer(database)
  port.on('message', (message: PackedBatch | 'close') => {
    if (message !== 'close') {
      const batch = unpackBatch(message)
      port.postMessage(JSON.stringify(runner.run(batch)))
      checkpointer.afterBatch(batch.sets.length)
      return
    }
    // The last connection to close copies the write-ahead log into the file and removes it.
    database.close()
    port.close()
  })
  const reader = new SqliteReader(database)
  port.postMessage({ identity, head: reader.head(), compacted: reader.compacted() } satisfies WriterReady)
}

try {
  start()
} catch (error) {
  if (!(error instanceof OpenError)) throw error
  port.postMessage({ refused: error.failure, message: error.message } satisfies WriterReady)
  port.close()
}
