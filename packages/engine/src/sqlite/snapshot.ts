import { seconds, type Timer, type World } from '@stead/world'
import { decodeObject } from '../encoding.ts'
import { UnavailableError } from '../words/errors.ts'
import type { StoredObject } from '../words/object.ts'
import type { Snapshot } from '../words/store.ts'
import type { ReaderClient } from './reader-client.ts'

/** An open snapshot keeps the write-ahead log from being cut back: one that nobody reads must end. */
const patience = seconds(60)

export interface SnapshotOptions {
  readonly reader: ReaderClient
  readonly world: World
  /** Runs what parses rows, and knows what to do when they are not what was written. */
  readonly decode: <T>(parse: () => T) => T
}

/** Everything at one revision, read as fast as it is taken: one chunk is fetched ahead, never more. */
export async function takeSnapshot(options: SnapshotOptions): Promise<Snapshot> {
  const { snapshot, revision } = await options.reader.call('openSnapshot')
  const stream = new SnapshotStream(options, snapshot)
  return { revision, objects: stream.chunks() }
}

class SnapshotStream {
  private readonly reader: ReaderClient
  private readonly world: World
  private readonly decode: SnapshotOptions['decode']
  private readonly snapshot: number
  private timer: Timer | undefined
  private abandoned = false

  constructor({ reader, world, decode }: SnapshotOptions, snapshot: number) {
    this.reader = reader
    this.world = world
    this.decode = decode
    this.snapshot = snapshot
    this.waitForReader()
  }

  async *chunks(): AsyncGenerator<readonly StoredObject[]> {
    try {
      let next = this.fetch()
      while (true) {
        const rows = await next
        if (this.abandoned) throw new UnavailableError(`the snapshot was left unread for ${patience} ms: take another`)
        if (rows.length === 0) return
        next = this.fetch()
        this.waitForReader()
        yield this.decode(() => rows.map(decodeObject))
      }
    } finally {
      this.end()
    }
  }

  private fetch() {
    this.timer?.cancel()
    const rows = this.reader.call('readSnapshot', this.snapshot)
    // Whoever leaves early never looks at the chunk that was fetched ahead.
    rows.catch(() => {})
    return rows
  }

  private waitForReader(): void {
    this.timer?.cancel()
    this.timer = this.world.setTimer(patience, () => {
      this.abandoned = true
      this.end()
    })
  }

  private end(): void {
    this.timer?.cancel()
    // On a store that is closing there is nothing left to close.
    this.reader.call('closeSnapshot', this.snapshot).catch(() => {})
  }
}
