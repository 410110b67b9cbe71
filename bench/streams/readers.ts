import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Scratch } from '../harness/scratch.ts'
import type { Reading, Seen } from './reader.ts'

const program = fileURLToPath(new URL('./reader.ts', import.meta.url))

/** All who read, in a process of their own. */
export class Readers {
  readonly #child: ChildProcess

  private constructor(child: ChildProcess) {
    this.#child = child
  }

  /** Resolves once every stream is open. */
  static async open(scratch: Scratch, reading: Reading): Promise<Readers> {
    const readers = new Readers(scratch.adopt(fork(program)))
    const answer = await readers.#ask(reading)
    if (answer !== 'open') throw new Error((answer as { readonly error: string }).error)
    return readers
  }

  /** What they have seen since the last time. */
  seen(): Promise<Seen> {
    return this.#ask('seen') as Promise<Seen>
  }

  async close(): Promise<void> {
    const exited = once(this.#child, 'exit')
    this.#child.kill()
    await exited
  }

  async #ask(message: Reading | 'seen'): Promise<unknown> {
    const answered = once(this.#child, 'message')
    this.#child.send(message as never)
    const [answer] = await answered
    return answer
  }
}
