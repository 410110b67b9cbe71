import type { ServerInfo } from '../server-info.ts'
import type { Tags } from '../tags.ts'

export interface WatchRequest {
  /** Only servers with all of these tags. One that was removed is told whatever its tags were. */
  readonly tags: Tags
  /** Everything after this cursor. Left out: from now on. */
  readonly after?: string
}

/**
 * `open` comes first, once the stream sees everything that happens from its cursor on: whoever lists after that misses nothing.
 * `gone` says that the cursor is too old to go on from; the stream ends, and the watcher opens a new one and lists again.
 */
export type WatchEvent =
  | { readonly type: 'open'; readonly cursor: string }
  | {
      readonly type: 'change'
      readonly cursor: string
      readonly id: string
      /** As it is now; undefined once the backend no longer has it. */
      readonly server: ServerInfo | undefined
    }
  | { readonly type: 'gone' }
