import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket as DatagramSocket } from 'node:dgram'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Probe } from '@stead/provider-kit/probes'
import { minutes, type Timer, type World } from '@stead/world'
import { program } from '../machine/programs.ts'
import type { Ids } from '../sandbox/paths.ts'
import type { RelayAnswer, RelayOrder } from './relay.ts'

const relayProgram = fileURLToPath(new URL('./relay.ts', import.meta.url))

/** A relay costs about as much memory as a small program. One that had nothing to do for this long is ended. */
const idle = minutes(1)

/** The relay into the network of one instance, which is started when somebody needs it. */
export class Relay {
  readonly #world: World
  readonly #networkOf: () => number | undefined
  readonly #owner: Ids | undefined
  readonly #waiting = new Map<number, (problem: string | null) => void>()
  #child: { readonly process: ChildProcess; readonly ready: Promise<void> } | undefined
  #questions = 0
  #timer: Timer | undefined
  #keeps = false

  /** `networkOf` names a process that is in the network now. */
  constructor(world: World, networkOf: () => number | undefined, owner: Ids | undefined) {
    this.#world = world
    this.#networkOf = networkOf
    this.#owner = owner
  }

  async passStream(socket: Socket, port: number): Promise<void> {
    const child = await this.#use()
    if (child) child.send({ stream: port } satisfies RelayOrder, socket)
    else socket.destroy()
  }

  /** Whoever wants datagrams cannot be waited for: the relay stays. */
  async passDatagrams(socket: DatagramSocket, port: number): Promise<void> {
    this.#keeps = true
    const child = await this.#use()
    // Two readers of one socket would each get half of what comes.
    const letGo = () => socket.close()
    if (child) child.send({ datagrams: port } satisfies RelayOrder, socket, letGo)
    else letGo()
  }

  /** What is wrong; null when nothing is. */
  async ask(probe: Probe, timeoutMillis: number): Promise<string | null> {
    const child = await this.#use()
    if (!child) return 'it does not run'
    const number = ++this.#questions
    return new Promise(resolve => {
      this.#waiting.set(number, resolve)
      child.send({ number, probe, timeoutMillis } satisfies RelayOrder)
    })
  }

  close(): void {
    this.#timer?.cancel()
    this.#child?.process.kill('SIGKILL')
    this.#lose()
  }

  async #use(): Promise<ChildProcess | undefined> {
    this.#timer?.cancel()
    this.#timer = this.#world.setTimer(idle, () => {
      if (!this.#keeps) this.close()
    })
    this.#child ??= this.#start()
    await this.#child?.ready
    return this.#child?.process
  }

  #start() {
    const pid = this.#networkOf()
    if (pid === undefined) return undefined
    const owner = this.#owner ? [String(this.#owner.uid), String(this.#owner.gid)] : []
    const child = spawn(
      program('nsenter'),
      [`--net=/proc/${pid}/ns/net`, '--', process.execPath, '--max-semi-space-size=1', relayProgram, ...owner],
      {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        env: { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
        cwd: '/',
      },
    )
    const ready = new Promise<void>(resolve => {
      child.once('message', () => resolve())
      child.once('exit', () => resolve())
      child.once('error', () => resolve())
    })
    child.on('message', (message: RelayAnswer | { readonly ready: true }) => {
      if (!('number' in message)) return
      this.#waiting.get(message.number)?.(message.problem)
      this.#waiting.delete(message.number)
    })
    child.once('exit', () => {
      if (this.#child?.process === child) this.#lose()
    })
    // Sending to one that is just dying: its exit says it.
    child.on('error', () => {})
    return { process: child, ready }
  }

  #lose(): void {
    this.#child = undefined
    for (const resolve of this.#waiting.values()) resolve('the relay into its network is gone')
    this.#waiting.clear()
  }
}
