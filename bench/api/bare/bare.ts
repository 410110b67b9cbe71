import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Scratch } from '../../harness/scratch.ts'
import { encodeRequest } from '../client/messages.ts'
import type { Contender, Operation } from '../contender.ts'
import type { BareAnswers, BareMessage } from './process.ts'

const program = fileURLToPath(new URL('process.ts', import.meta.url))

/** The requests as they would be made of a route that answers the same bytes and does nothing for them. */
export class BareFastify implements Contender {
  readonly name = 'bare fastify'
  readonly port: number
  readonly #child: ChildProcess
  readonly #requests: Readonly<Record<Operation, Buffer>> = {
    get: encodeRequest({ method: 'GET', path: '/get' }),
    list: encodeRequest({ method: 'GET', path: '/list' }),
    create: encodeRequest({ method: 'POST', path: '/create', body: { name: 'project-1' } }),
  }

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.port = port
  }

  static async start(scratch: Scratch, answers: BareAnswers): Promise<BareFastify> {
    const child = scratch.adopt(fork(program))
    child.send(answers)
    const [message] = (await once(child, 'message')) as [BareMessage]
    if (message.type !== 'listening') throw new Error('the bare server said something else before it listened')
    return new BareFastify(child, message.port)
  }

  requestOf(operation: Operation): Buffer {
    return this.#requests[operation]
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
