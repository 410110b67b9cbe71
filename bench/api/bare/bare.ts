import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Scratch } from '../../harness/scratch.ts'
import type { Contender, Exchange, Operation } from '../contender.ts'
import type { BareAnswers, BareMessage } from './process.ts'

const program = fileURLToPath(new URL('process.ts', import.meta.url))

/** Asked with the same bytes as we are, on the same paths: answers the same bytes, and does nothing for them. */
export class BareFastify implements Contender {
  readonly name = 'bare fastify'
  readonly port: number
  readonly #child: ChildProcess
  readonly #exchanges: Readonly<Record<Operation, Exchange>>

  private constructor(child: ChildProcess, port: number, exchanges: Readonly<Record<Operation, Exchange>>) {
    this.#child = child
    this.port = port
    this.#exchanges = exchanges
  }

  static async start(scratch: Scratch, exchanges: Readonly<Record<Operation, Exchange>>): Promise<BareFastify> {
    const child = scratch.adopt(fork(program))
    const { get, list, create } = exchanges
    const answers: BareAnswers = { get: get.answer, list: list.answer, create: create.answer }
    child.send(answers)
    const [message] = (await once(child, 'message')) as [BareMessage]
    if (message.type !== 'listening') throw new Error('the bare server said something else before it listened')
    return new BareFastify(child, message.port, exchanges)
  }

  requestOf(operation: Operation): Buffer {
    return this.#exchanges[operation].request
  }

  async processorSeconds(): Promise<number> {
    this.#child.send('processor time')
    const [message] = (await once(this.#child, 'message')) as [BareMessage]
    if (message.type !== 'used') throw new Error('the bare server does not say what it used')
    return message.seconds
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, 'exit')
    this.#child.disconnect()
    await exited
  }
}
