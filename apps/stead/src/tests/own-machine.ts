import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryDirectory } from '@stead/testing'
import { expect, onTestFinished } from 'vitest'
import { Program } from './program.ts'

export interface Instance {
  readonly metadata: { readonly id: string; readonly generation: number }
  readonly status: {
    readonly phase: string
    readonly ready: boolean
    readonly observedGeneration: number
    readonly suspended: unknown
    readonly endpoints: readonly { readonly host: string; readonly port: number }[]
    readonly operation: unknown
  }
}

export interface Answer {
  readonly status: number
  readonly body: unknown
}

/** When `stead` is killed: as soon as it has answered, or so many milliseconds after it was asked, answered or not. */
export type Moment = 'answered' | number

const project = '/v1/projects/default%2Fdefault'
/** Long, since a busy machine takes its time. */
const patience = 30_000

/** A `stead` with its own data and this machine as its region. It can be killed and started again; in the end nothing is left. */
export class OwnMachine {
  readonly #data = join(temporaryDirectory(), 'data')
  /** In the environment of everything that is launched: by this it is found among all processes. */
  readonly mark = randomUUID()
  #program: Program
  #url = ''

  static async start(): Promise<OwnMachine> {
    const machine = new OwnMachine()
    await machine.#listens()
    const healthy = async () => (await machine.ask('GET', '/v1/regions/local')).body
    await expect.poll(healthy, { timeout: patience }).toMatchObject({ status: { health: 'healthy' } })
    return machine
  }

  private constructor() {
    onTestFinished(() => this.#clear())
    this.#program = this.#start()
  }

  #start(): Program {
    const args = ['serve', '--listen', '127.0.0.1:0', '--data', this.#data]
    return new Program(args, { env: { STEAD_FIND_REGIONS: 'true' } })
  }

  async #listens(): Promise<void> {
    this.#url = await this.#program.listening()
  }

  /** As if the power of its process were cut; then started on the same data. */
  async crash(): Promise<void> {
    this.#program.process.kill('SIGKILL')
    await this.#program.exited
    this.#program = this.#start()
    await this.#listens()
  }

  async ask(method: string, path: string, body?: unknown, key?: string): Promise<Answer> {
    const answer = await fetch(this.#url + path, {
      method,
      headers: {
        authorization: `Bearer ${readFileSync(join(this.#data, 'admin.token'), 'utf8').trim()}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
  }

  /** Something to be done in the project. Where it is cut short it is said again, as a caller without an answer does. */
  async tell(method: string, path: string, body?: unknown, cut?: Moment): Promise<Answer> {
    const key = randomUUID()
    const once = () => this.ask(method, `${project}/instances${path}`, body, key)
    if (typeof cut === 'number') {
      const lost = once().catch(() => undefined)
      await sleep(cut)
      await this.crash()
      await lost
    }
    const answer = await once()
    if (cut === 'answered') await this.crash()
    return answer
  }

  async instance(name: string): Promise<Instance> {
    return (await this.ask('GET', `${project}/instances/${name}`)).body as Instance
  }

  /** Waits until it is in this phase, as it was last asked to be, and nothing is under way. */
  settled(name: string, phase: 'running' | 'stopped'): Promise<Instance> {
    return this.until(`${name} to be ${phase}`, async () => {
      const found = await this.instance(name)
      const { status, metadata } = found
      const isSettled =
        status.phase === phase && status.operation === null && status.observedGeneration === metadata.generation
      return isSettled && status.ready === (phase === 'running') ? found : undefined
    })
  }

  async until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
    const since = performance.now()
    for (;;) {
      const found = await look()
      if (found !== undefined) return found
      if (performance.now() - since > patience) {
        const { body } = await this.ask('GET', `${project}/instances`)
        throw new Error(`waited in vain for ${what}: ${JSON.stringify(body)}\n${this.#program.stderr}`)
      }
      await sleep(20)
    }
  }

  /** How much of each quota is used. */
  async used(): Promise<Record<string, number>> {
    const { body } = await this.ask('GET', `${project}/quotas`)
    const { quotas } = body as { quotas: readonly { kind: string; used: number }[] }
    return Object.fromEntries(quotas.map(({ kind, used }) => [kind, used]))
  }

  /** What the region keeps of instances. */
  kept(): string[] {
    return readdirSync(join(this.#region, 'instances')).filter(name => name !== '.pipes')
  }

  get #region(): string {
    return join(this.#data, 'regions', 'local')
  }

  /** Everything that runs for our instances under this name. */
  processes(name: string): number[] {
    return processesWith('environ', this.mark).filter(pid => readProcess(pid, 'comm') === `${name}\n`)
  }

  /** Ends it. What a failed test left behind is killed, and found by names that nobody else has. */
  async #clear(): Promise<void> {
    this.#program.process.kill('SIGTERM')
    await this.#program.exited
    const socket = join(this.#region, 'supervisor.sock')
    const isIdle = existsSync(this.#region) && this.kept().length === 0
    for (let tries = 0; isIdle && existsSync(socket) && tries < 500; tries++) await sleep(20)
    for (const pid of [...processesWith('cmdline', this.#data), ...processesWith('environ', this.mark)]) end(pid)
  }
}

function processesWith(file: 'environ' | 'cmdline', text: string): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return pids.filter(pid => readProcess(pid, file).includes(text))
}

/** Empty for one that has ended. */
function readProcess(pid: number, file: 'environ' | 'cmdline' | 'comm'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
