import type { Capabilities, Owner, ProviderErrorCode } from '@stead/provider-kit'
import type { Duration } from '@stead/world'

/** What is asked of the cloud. Those that answer more than once, `list` and `watch`, end when they are told to, too. */
export type Call =
  | { readonly id: number; readonly type: 'connect'; readonly owner: Owner }
  | { readonly id: number; readonly type: 'call'; readonly method: string; readonly args: readonly unknown[] }
  | { readonly id: number; readonly type: 'stream'; readonly method: string; readonly args: readonly unknown[] }
  | { readonly id: number; readonly type: 'abort' }

export interface WireError {
  readonly code: ProviderErrorCode
  readonly message: string
  readonly retryAfter?: Duration
}

export type Reply =
  | { readonly id: number; readonly type: 'value'; readonly value: unknown }
  | { readonly id: number; readonly type: 'item'; readonly item: unknown }
  | { readonly id: number; readonly type: 'end' }
  | { readonly id: number; readonly type: 'error'; readonly error: WireError }

export type Connected = Capabilities
