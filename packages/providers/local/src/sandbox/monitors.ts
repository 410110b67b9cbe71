import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { millis, type Timer, type World } from '@stead/world'
import { isAlive, markFrom, type ProcessMark } from '../machine/processes.ts'
import { program } from '../machine/programs.ts'
import { monitorChannels, runWhenTold } from './shell-programs.ts'

/** Fewer than this in stock, and more are made when there is time. */
const few = 3
const whenThereIsTime = millis(50)

/**
 * Shells that wait to be told what to run. Each becomes the parent of one service, stays until it has ended and says how. Node
 * copies itself to start anything, which takes 5 ms: so it starts a row of shells, and the shell, which is small, copies itself.
 */
export class Monitors {
  readonly #world: World
  readonly #shell: readonly [string, ...string[]]
  readonly #stock: Monitor[] = []
  readonly #waiting: PromiseWithResolvers<Monitor>[] = []
  /** Have been started and have not said who they are. */
  #coming = 0
  #refill: Timer | undefined

  /** `shell`: any that POSIX would call one. */
  constructor(world: World, shell: readonly [string, ...string[]] = [program('sh')]) {
    this.#world = world
    this.#shell = shell
    this.#startRow()
  }

  async take(): Promise<Monitor> {
    let monitor = this.#stock.shift()
    while (monitor && !isAlive(monitor.mark)) monitor = this.#stock.shift()
    this.#refill ??= this.#world.setTimer(whenThereIsTime, () => {
      this.#refill = undefined
      if (this.#stock.length + this.#coming < few) this.#startRow()
    })
    if (monitor) return monitor
    const waiting = Promise.withResolvers<Monitor>()
    this.#waiting.push(waiting)
    if (this.#coming < this.#waiting.length) this.#startRow()
    return waiting.promise
  }

  #startRow(): void {
    const channels = monitorChannels.map(() => 'pipe' as const)
    const [file, ...args] = this.#shell
    const row = spawn(file, [...args, '-c', runWhenTold], {
      stdio: ['ignore', 'ignore', 'ignore', ...channels, process.stderr.fd],
      env: {},
      cwd: '/',
      detached: true,
    })
    const gone = new Promise<Error>(resolve => {
      row.once('error', resolve)
      row.once('exit', () => resolve(new Error('the shells that start services ended')))
    })
    for (const number of monitorChannels) void this.#meet(row, number, gone)
  }

  async #meet(row: ChildProcess, channel: number, gone: Promise<Error>): Promise<void> {
    this.#coming++
    const lines = new Lines((row.stdio as readonly unknown[])[channel] as Socket)
    const said = await Promise.race([lines.next(), gone])
    this.#coming--
    if (typeof said !== 'string') {
      if (this.#coming < this.#waiting.length) this.#waiting.shift()!.reject(said)
      return
    }
    const monitor = new Monitor(this.#world, markFrom(said), lines)
    const waiting = this.#waiting.shift()
    if (waiting) waiting.resolve(monitor)
    else this.#stock.push(monitor)
  }
}

/** What a shell runs: a command with files that are open for it. */
export interface Errand {
  /** Where its `status`, `stdout` and `stderr` are. */
  readonly directory: string
  /** Is open as 3. */
  readonly args: string
  /** Is open as 6, if there is one. */
  readonly filter: string | undefined
  /** Where it joins its control groups by writing 0. */
  readonly doors: readonly string[]
  readonly command: readonly string[]
  /** Its files are open and it has joined its groups. */
  onOpen(): void
}

const killed = 137

/** One such shell. */
export class Monitor {
  readonly #world: World
  readonly mark: ProcessMark
  readonly #lines: Lines
  #isOpen = false
  readonly #code = Promise.withResolvers<number>()

  constructor(world: World, mark: ProcessMark, lines: Lines) {
    this.#world = world
    this.mark = mark
    this.#lines = lines
  }

  /** From here on it goes on without us. */
  run({ directory, args, filter = '', doors, command, onOpen }: Errand): void {
    const words = [directory, args, filter, ...doors, '--', ...command]
    // A line ends a word unless it says how many more there are of it.
    const lines = words.flatMap(word => [String(word.split('\n').length - 1), word])
    this.#lines.send([String(words.length), ...lines].map(line => `${line}\n`).join(''))
    void this.#listen(onOpen)
  }

  /** How the command ended. `silent`: when nobody can print any more. */
  ended(silent: Promise<unknown>): Promise<number> {
    const dead = this.#untilDead(silent).then(async () => {
      // What it said last may not have been read yet.
      await this.#world.sleep(millis(1))
      return killed
    })
    return Promise.race([this.#code.promise, dead])
  }

  async #listen(onOpen: () => void): Promise<void> {
    let said = await this.#lines.next()
    if (said === 'open') {
      this.#isOpen = true
      onOpen()
      said = await this.#lines.next()
    }
    this.#code.resolve(Number(said))
  }

  /** One that was killed cannot say so, but whatever it held is closed then. Before it holds anything, one has to look. */
  async #untilDead(silent: Promise<unknown>): Promise<void> {
    for (let pause = 20; !this.#isOpen; pause = Math.min(2 * pause, 1_000)) {
      await this.#world.sleep(millis(pause))
      if (!isAlive(this.mark)) return
    }
    await silent
    while (isAlive(this.mark)) await this.#world.sleep(millis(1))
  }
}

/** A connection to one shell, line by line. */
class Lines {
  readonly #socket: Socket
  readonly #read: string[] = []
  #partial = ''
  #wanted: ((line: string) => void) | undefined

  constructor(socket: Socket) {
    this.#socket = socket
    socket.setEncoding('latin1')
    socket.on('error', () => {}) // its end says more
    socket.on('data', (text: string) => {
      const lines = (this.#partial + text).split('\n')
      this.#partial = lines.pop()!
      for (const line of lines) this.#take(line)
    })
  }

  send(text: string): void {
    this.#socket.write(text)
  }

  /** The next line. There may never be one. */
  async next(): Promise<string> {
    return this.#read.shift() ?? new Promise(resolve => (this.#wanted = resolve))
  }

  #take(line: string): void {
    const wanted = this.#wanted
    this.#wanted = undefined
    if (wanted) wanted(line)
    else this.#read.push(line)
  }
}
