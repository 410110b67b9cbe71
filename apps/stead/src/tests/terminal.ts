import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { commandPath } from '@stead/testing'
import { expect, onTestFinished } from 'vitest'

const helper = fileURLToPath(new URL('./terminal.py', import.meta.url))

/** A program in a real terminal, with someone who types. Needs the backend `python`. */
export class Terminal {
  readonly exited: Promise<number | null>
  /** Everything it showed, byte for byte. */
  bytes = Buffer.alloc(0)
  readonly #process: ChildProcess

  constructor(
    command: readonly string[],
    options: { env: NodeJS.ProcessEnv; cwd?: string; columns?: number; rows?: number },
  ) {
    const { columns = 120, rows = 30, env, cwd } = options
    const args = [helper, String(columns), String(rows), ...command]
    this.#process = spawn(commandPath('python', 'python3'), args, { env, cwd, stdio: ['pipe', 'pipe', 'inherit'] })
    this.#process.stdout!.on('data', (data: Buffer) => {
      this.bytes = Buffer.concat([this.bytes, data])
    })
    this.exited = new Promise(resolve => this.#process.on('close', resolve))
    onTestFinished(async () => {
      this.#process.kill('SIGKILL')
      await this.exited
    })
  }

  get text(): string {
    return this.bytes.toString('utf8')
  }

  /** Waits until it shows something. */
  async shows(pattern: RegExp): Promise<void> {
    await expect.poll(() => this.text, { timeout: 20_000 }).toMatch(pattern)
  }

  type(text: string | Buffer): void {
    this.#tell({ type: Buffer.from(text).toString('base64') })
  }

  resize(columns: number, rows: number): void {
    this.#tell({ resize: [columns, rows] })
  }

  #tell(order: object): void {
    this.#process.stdin!.write(`${JSON.stringify(order)}\n`)
  }
}
