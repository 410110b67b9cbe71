import type { ReaderArgs, ReaderMethod, ReaderResult } from './reader-calls.ts'
import { callerError, fatalError, isFailure, type ThreadFailure } from './thread-failure.ts'

export interface ReadRequest<Method extends ReaderMethod = ReaderMethod> {
  readonly id: number
  readonly method: Method
  readonly args: ReaderArgs<Method>
}

export type ReadAnswer = { readonly id: number } & ({ readonly value: unknown } | ThreadFailure)

export interface ReaderClientOptions {
  readonly path: string
  readonly post: (request: ReadRequest) => void
  readonly onFatal: (error: Error) => void
}

/** Asks the reader thread. */
export class ReaderClient {
  private readonly options: ReaderClientOptions
  private readonly asked = new Map<number, PromiseWithResolvers<unknown>>()
  private lastId = 0
  private ending: Error | undefined

  constructor(options: ReaderClientOptions) {
    this.options = options
  }

  call<Method extends ReaderMethod>(method: Method, ...args: ReaderArgs<Method>): Promise<ReaderResult<Method>> {
    if (this.ending) return Promise.reject(this.ending)
    this.lastId += 1
    const asked = Promise.withResolvers<unknown>()
    this.asked.set(this.lastId, asked)
    this.options.post({ id: this.lastId, method, args })
    return asked.promise as Promise<ReaderResult<Method>>
  }

  answered(answer: ReadAnswer): void {
    const asked = this.asked.get(answer.id)
    this.asked.delete(answer.id)
    if (isFailure(answer)) asked?.reject(this.errorOf(answer))
    else asked?.resolve(answer.value)
  }

  private errorOf(failure: ThreadFailure): Error {
    const fatal = fatalError(failure, this.options.path)
    if (fatal) this.options.onFatal(fatal)
    return fatal ?? callerError(failure, this.options.path)
  }

  /** Takes nothing more. What was asked is still answered. */
  stop(reason: Error): void {
    this.ending ??= reason
  }

  /** The reader will never answer again. */
  fail(error: Error): void {
    this.ending = error
    for (const { reject } of this.asked.values()) reject(error)
    this.asked.clear()
  }
}
