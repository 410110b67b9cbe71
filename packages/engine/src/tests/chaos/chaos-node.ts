import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { NodeStart } from './node.ts'

const entry = fileURLToPath(new URL('node.ts', import.meta.url))

/** One node: a process that is killed, stopped, continued and started again. */
export class ChaosNode {
  private readonly start: NodeStart
  private child: ChildProcess | undefined
  /** What it said on standard error, to explain a failure. */
  complaints = ''

  constructor(start: NodeStart) {
    this.start = start
  }

  get isRunning(): boolean {
    return this.child !== undefined
  }

  launch(): ChildProcess {
    const child = spawn(process.execPath, [entry, JSON.stringify(this.start)], { stdio: ['ignore', 'pipe', 'pipe'] })
    this.child = child
    child.stderr.setEncoding('utf8').on('data', text => {
      this.complaints += text
    })
    return child
  }

  async ready(): Promise<void> {
    const child = this.launch()
    await Promise.race([
      once(child.stdout!, 'data'),
      once(child, 'exit').then(() => Promise.reject(new Error(`a node ended by itself:\n${this.complaints}`))),
    ])
  }

  signal(signal: NodeJS.Signals): void {
    this.child?.kill(signal)
  }

  /** Ends it with this signal and waits until it is gone. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    const { child } = this
    this.child = undefined
    if (!child) return null
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal)
      await once(child, 'exit')
    }
    return child.exitCode
  }
}
