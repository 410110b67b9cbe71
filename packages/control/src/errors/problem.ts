import type { Duration } from '@stead/world'
import { catalogue, type ErrorCode } from './catalogue.ts'

/** One field that is wrong, by JSON pointer into the request. */
export interface FieldError {
  readonly path: string
  readonly message: string
}

export interface ProblemDetails {
  readonly errors?: readonly FieldError[]
  readonly suggestion?: string
  readonly retryAfter?: Duration
  /** Further members of the answer, e.g. the plan of a refused replacement. */
  readonly extensions?: Readonly<Record<string, unknown>>
  /** For the operator's log. Never sent to the caller. */
  readonly cause?: unknown
}

/** A refusal the caller is told about. Everything else that is thrown is a bug and answers `internal`. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: ErrorCode
  readonly details: ProblemDetails

  constructor(code: ErrorCode, detail: string, details: ProblemDetails = {}) {
    super(detail, { cause: details.cause })
    this.code = code
    this.details = details
  }

  get status(): number {
    return catalogue[this.code].status
  }
}

/** The one way to refuse: `throw fail('name_taken', 'an instance named "web-1" exists in project shop')`. */
export const fail = (code: ErrorCode, detail: string, details?: ProblemDetails): Problem =>
  new Problem(code, detail, details)
