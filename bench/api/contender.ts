import type { Answer } from './client/connection.ts'

/** What is asked: one project by its id, a page of a hundred, and to make one, which is charged, named and audited. */
export const operations = ['get', 'list', 'create'] as const
export type Operation = (typeof operations)[number]

const done: Readonly<Record<Operation, number>> = { get: 200, list: 200, create: 201 }

/** An answer as it went over the wire, without the headers that Node writes by itself. */
export interface SentAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A request, and what it was answered. */
export interface Exchange {
  readonly request: Buffer
  readonly answer: SentAnswer
}

/** Throws when it was not done: a refusal is fast, and must not count. */
export function mustBeDone(operation: Operation, { status, body }: Answer): void {
  if (status !== done[operation]) throw new Error(`${operation} was answered ${status}: ${body}`)
}

/** A server in a process of its own. */
export interface Contender {
  readonly name: string
  readonly port: number
  /** What to ask next on a connection. */
  requestOf(operation: Operation, connection: number, turn: number): Buffer
  /** Used by its process until now. */
  processorSeconds(): Promise<number>
}
