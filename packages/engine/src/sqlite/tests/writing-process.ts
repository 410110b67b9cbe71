import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('./writing-child.ts', import.meta.url))

export interface WritingOptions {
  readonly directory: string
  readonly writers: number
  /** Each writer's writes; 0 for ever. */
  readonly writes: number
  /** Kept between processes: reading TypeScript is most of a process's start. */
  readonly compileCache: string
  /** What to start it under, e.g. a tracer. */
  readonly under?: readonly string[]
}

/** A real process that writes to a real store, seen from outside. */
export class WritingProcess {
  /** Every line it managed to say, whatever happened to it after. */
  readonly said: string[] = []
  private readonly child: ChildProcessByStdio<Writable, Readable, null>
  private readonly ended: Promise<void>
  private heard: PromiseWithResolvers<void> = Promise.withResolvers()

  constructor({ directory, writers, writes, compileCache, under = [] }: WritingOptions) {
    const [command, ...args] = [...under, process.execPath, program, directory, `${writers}`, `${writes}`]
    this.child = spawn(command!, args, {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
    })
    // A process that is killed takes the pipe with it.
    this.child.stdin.on('error', () => {})
    createInterface({ input: this.child.stdout }).on('line', line => {
      this.said.push(line)
      this.heard.resolve()
      this.heard = Promise.withResolvers()
    })
    this.ended = Promise.all([once(this.child, 'exit'), once(this.child.stdout, 'close')]).then(() => {
      this.heard.resolve()
    })
  }

  /** Lets it open the store and write. */
  go(): void {
    this.child.stdin.write('go\n')
  }

  /** Resolves once it has said something that starts like this, or has ended. */
  async says(start: string): Promise<void> {
    const isOver = this.end().then(() => true)
    while (!this.said.some(line => line.startsWith(start)))
      if (await Promise.race([this.heard.promise.then(() => false), isOver])) return
  }

  /** kill -9, then all it said before. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL')
    await this.ended
  }

  async end(): Promise<void> {
    await this.ended
  }

  acknowledged(): { revision: number; id: string }[] {
    return this.said
      .map(line => /^acknowledged (\d+) (\S+)$/.exec(line))
      .flatMap(match => (match ? [{ revision: Number(match[1]), id: match[2]! }] : []))
  }
}
