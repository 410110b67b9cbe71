import type { Problem } from './generated/api.ts'

export type ProblemCode = Problem['code']

/** The server refused. Compare `code`; what a person should do is in `suggestion`. */
export class SteadProblem<Code extends ProblemCode = ProblemCode> extends Error {
  override readonly name = 'SteadProblem'
  readonly code: Code
  readonly status: number
  readonly title: string
  readonly detail: string
  readonly suggestion: string
  /** Each field that is wrong. */
  readonly errors: readonly { readonly path: string; readonly message: string }[]
  /** Finds the request in the server's log. */
  readonly traceId: string
  /** Everything that was said, with what some codes add: a plan, an instance, the limits. */
  readonly problem: Problem & Readonly<Record<string, unknown>>

  constructor(problem: Problem & { readonly code: Code }) {
    super(`${problem.title}: ${problem.detail}`)
    this.code = problem.code
    this.status = problem.status
    this.title = problem.title
    this.detail = problem.detail
    this.suggestion = problem.suggestion
    this.errors = problem.errors ?? []
    this.traceId = problem.traceId
    this.problem = problem as Problem & Readonly<Record<string, unknown>>
  }
}

/** Whether the server refused, and with one of these codes if some are named. */
export const isProblem = <Code extends ProblemCode = ProblemCode>(
  error: unknown,
  ...codes: readonly Code[]
): error is SteadProblem<Code> =>
  error instanceof SteadProblem && (codes.length === 0 || (codes as readonly ProblemCode[]).includes(error.code))

/** Nobody answered, or not as Stead does. What was asked may or may not have been done. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
  readonly url: string

  constructor(url: string, why: string, options?: ErrorOptions) {
    super(`${url} cannot be reached: ${why}`, options)
    this.url = url
  }
}

/** It went where it was not wanted while one waited for something else. */
export class WaitFailed extends Error {
  override readonly name = 'WaitFailed'
  readonly reason: 'failed' | 'gone' | 'late'
  /** How it was seen last. */
  readonly instance: unknown

  constructor(reason: 'failed' | 'gone' | 'late', message: string, instance?: unknown) {
    super(message)
    this.reason = reason
    this.instance = instance
  }
}
