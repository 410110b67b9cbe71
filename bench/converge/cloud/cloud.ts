import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Scratch } from '../../harness/scratch.ts'
import type { CloudMessage, CloudOrder } from './process.ts'

const program = fileURLToPath(new URL('process.ts', import.meta.url))
const preload = new URL('preload.mjs', import.meta.url).href

/** The process in which the simulated cloud is. */
export class CloudProcess {
  readonly #child: ChildProcess
  readonly #port: number

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.#port = port
  }

  static async start(scratch: Scratch): Promise<CloudProcess> {
    const child = scratch.adopt(fork(program))
    const [message] = (await once(child, 'message')) as [CloudMessage]
    if (message.type !== 'listening') throw new Error('the cloud said something else before it listened')
    return new CloudProcess(child, message.port)
  }

  /** How `stead serve` is started so that its simulated region is here. */
  get program() {
    return {
      env: { BENCH_CLOUD_PORT: String(this.#port) },
      flags: ['--simulated-region'],
      nodeFlags: ['--import', preload],
    }
  }

  /** Servers that run, servers there are, and the processor time it has used, in seconds. */
  async count(): Promise<Extract<CloudMessage, { type: 'counted' }>> {
    return (await this.#order({ type: 'count' })) as Extract<CloudMessage, { type: 'counted' }>
  }

  /** What an instance of this name runs on dies. */
  async crash(name: string): Promise<void> {
    await this.#order({ type: 'crash', name })
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, 'exit')
    this.#child.disconnect()
    await exited
  }

  async #order(order: CloudOrder): Promise<CloudMessage> {
    this.#child.send(order)
    const [message] = (await once(this.#child, 'message')) as [CloudMessage]
    return message
  }
}
