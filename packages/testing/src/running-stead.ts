import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { Program } from './program.ts'
import { temporaryDirectory } from './temporary.ts'

/** A `stead serve` with data of its own, that can be killed and comes back at the same address. Gone with the test. */
export class RunningStead {
  readonly data: string
  readonly url: string
  readonly #args: readonly string[]
  readonly #env: NodeJS.ProcessEnv
  #program: Program

  static async start(options: { args?: readonly string[]; env?: NodeJS.ProcessEnv } = {}): Promise<RunningStead> {
    const stead = new RunningStead(await freePort(), options.args ?? [], options.env ?? {})
    await stead.#program.listening()
    return stead
  }

  private constructor(port: number, more: readonly string[], env: NodeJS.ProcessEnv) {
    this.data = join(temporaryDirectory(), 'data')
    this.url = `http://127.0.0.1:${port}`
    this.#args = ['serve', '--listen', `127.0.0.1:${port}`, '--data', this.data, ...more]
    this.#env = env
    this.#program = this.#start()
  }

  get token(): string {
    return readFileSync(join(this.data, 'admin.token'), 'utf8').trim()
  }

  /** What it has logged. */
  get log(): string {
    return this.#program.stderr
  }

  /** As if its power were cut. */
  async kill(): Promise<void> {
    this.#program.process.kill('SIGKILL')
    await this.#program.exited
  }

  /** As an operator does. */
  async stop(): Promise<void> {
    this.#program.process.kill('SIGTERM')
    await this.#program.exited
  }

  async startAgain(): Promise<void> {
    this.#program = this.#start()
    await this.#program.listening()
  }

  #start(): Program {
    return new Program(this.#args, { env: this.#env })
  }
}
