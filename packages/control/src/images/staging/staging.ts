import { createHash } from 'node:crypto'

/** What came, as it is. */
export interface Received {
  readonly sizeBytes: number
  /** Hex. */
  readonly sha256: string
}

/** Where the contents of images are between their sources and their regions. One content for each image, by its id. */
export interface Staging {
  /**
   * Takes what comes as the content of an image once `check` has let it pass. When anything fails, nothing of it is kept,
   * and what was there before is still there.
   */
  put(id: string, content: AsyncIterable<Uint8Array>, check: (received: Received) => void): Promise<Received>
  has(id: string): Promise<boolean>
  /** Reads it from the start. */
  open(id: string, options?: { readonly signal?: AbortSignal }): AsyncIterable<Uint8Array>
  /** Removes it, and whatever a crash left of it. */
  remove(id: string): Promise<void>
  /** The ids of images of which anything is here. */
  owners(): Promise<readonly string[]>
}

/** The place itself fails: no room, no right to write, nothing there. Not to be shown to tenants. */
export class StagingError extends Error {
  override readonly name = 'StagingError'
}

/** Measures what passes. */
export class Meter {
  readonly #hash = createHash('sha256')
  #sizeBytes = 0

  async *through(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      this.#hash.update(chunk)
      this.#sizeBytes += chunk.length
      yield chunk
    }
  }

  /** All of it, once all of it has passed. */
  received(): Received {
    return { sizeBytes: this.#sizeBytes, sha256: this.#hash.digest('hex') }
  }
}
