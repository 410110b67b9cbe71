import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const main = fileURLToPath(new URL('../../../apps/stead/src/main.js', import.meta.url))

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** `stead` as a process of its own, killed at the end of the test if it still runs. */
export class Program {
  readonly process: ChildProcess
  readonly exited: Promise<Exit>
  stdout = ''
  stderr = ''

  constructor(args: readonly string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) {
    // What the machine has is looked for only by tests that are about it: the rest need no region.
    const env = { PATH: process.env.PATH, STEAD_FIND_REGIONS: 'false', ...options.env }
    this.process = spawn(process.execPath, [main, ...args], {
      cwd: options.cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.process.stdout!.setEncoding('utf8').on('data', text => {
      this.stdout += text
    })
    this.process.stderr!.setEncoding('utf8').on('data', text => {
      this.stderr += text
    })
    this.exited = new Promise(resolve => this.process.on('close', (code, signal) => resolve({ code, signal })))
    onTestFinished(async () => {
      this.process.kill('SIGKILL')
      await this.exited
    })
  }

  /** The URL it says it listens on. Fails when it ends before it says so. */
  listening(): Promise<string> {
    return this.#says('stdout', /listening on (\S+)/)
  }

  /** Waits for a log line with this message. */
  async logs(message: string): Promise<void> {
    await this.#says('stderr', new RegExp(`("msg":"${message}")`))
  }

  #says(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<string> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(this[stream])?.[1]
        if (found !== undefined) resolve(found)
      }
      this.process[stream]!.on('data', look)
      look()
      void this.exited.then(({ code }) => reject(new Error(`ended with ${code} before ${pattern}: ${this.stderr}`)))
    })
  }
}
