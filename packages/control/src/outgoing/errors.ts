export type OutgoingFailure =
  | 'invalid_url'
  | 'unresolvable'
  | 'forbidden_address'
  | 'insecure_redirect'
  | 'too_many_redirects'
  | 'too_large'
  | 'timeout'
  | 'unreachable'

/** Why a user's URL was not followed. The message may be shown: it says nothing about what is inside our network. */
export class OutgoingError extends Error {
  override readonly name = 'OutgoingError'
  readonly failure: OutgoingFailure
  constructor(failure: OutgoingFailure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.failure = failure
  }
}
