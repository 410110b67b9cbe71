export type SealFailure =
  /** The key file is not there, though something was sealed with it. */
  | 'key_missing'
  /** The key file or the given key can't be used: wrong form, or readable by others. */
  | 'key_unusable'
  /** A key, but not the one this store was sealed with. */
  | 'wrong_key'
  /** What was to be opened has been changed, or was never sealed by us. */
  | 'damaged'

export class SealError extends Error {
  override readonly name = 'SealError'
  readonly failure: SealFailure
  constructor(failure: SealFailure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.failure = failure
  }
}
