/** Something that was made outside. It knows whose it is, so that it can be found again by whoever forgot. */
export interface Thing {
  readonly token: string
  readonly widgetId: string
  readonly color: string
  readonly state: 'live' | 'dead'
}

export interface MakeRequest {
  /** The same token always means the same thing: asking again makes no second one. */
  readonly token: string
  readonly widgetId: string
  readonly color: string
}

/** What the example knows of the world outside. */
export interface Outside {
  make(request: MakeRequest, signal: AbortSignal): Promise<Thing>
  /** Removing what is gone, or never was, succeeds. */
  remove(token: string, signal: AbortSignal): Promise<void>
  /** The truth about one thing. */
  find(token: string, signal: AbortSignal): Promise<Thing | undefined>
  /** Everything there is, as it was some time ago: cheap, and good enough to know where to look. */
  list(signal: AbortSignal): Promise<readonly Thing[]>
}

/** `invalid` will not work however often it is tried; the others may. */
export type OutsideFailure = 'invalid' | 'throttled' | 'unavailable'

export class OutsideError extends Error {
  override readonly name = 'OutsideError'
  readonly failure: OutsideFailure
  constructor(failure: OutsideFailure, message: string) {
    super(message)
    this.failure = failure
  }
}
