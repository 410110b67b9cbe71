import { randomUUID } from 'node:crypto'
import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryDirectory } from '@stead/testing'
import { expect, onTestFinished } from 'vitest'
import { describeProcess, groupsOf, processesWith, readProcess } from './left-behind.ts'
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

/** When `stead` is killed: so many milliseconds after it was asked, answered or not, or after it has answered. */
export interface Moment {
  readonly since: 'asked' | 'answered'
  readonly millis: number
}

const project = '/v1/projects/default%2Fdefault'
/** Long, since a busy machine takes its time. */
const patience = 30_000

/** A `stead` with its own data and this machine as its region. It can be killed and started again; in the end nothing is left. */
export class OwnMachine {
  readonly #directory = temporaryDirectory()
  /** Where it began: its region and its token stay there, wherever its store is restored to. */
  readonly data = join(this.#directory, 'data')
  #store = this.data
  /** In the environment of everything that is launched: by this it is found among all processes. */
  readonly mark = randomUUID()
  readonly #everKept = new Set<string>()
  /** Everything that any of its processes printed. */
  printed = ''
  readonly #more: readonly string[]
  #program: Program
  url = ''

  /** With more words to the program, where something else than the usual is wanted. */
  static async start(...more: readonly string[]): Promise<OwnMachine> {
    const machine = new OwnMachine(more)
    await machine.#listens()
    // Where others could share the store, nobody looks around for a region of one machine.
    if (more.includes('--database')) await machine.#register()
    const healthy = async () => (await machine.ask('GET', '/v1/regions/local')).body
    await expect.poll(healthy, { timeout: patience }).toMatchObject({ status: { health: 'healthy' } })
    return machine
  }

  private constructor(more: readonly string[]) {
    this.#more = more
    onTestFinished(({ task }) => this.#clear(task.result?.state === 'pass'))
    this.#program = this.#start()
  }

  #start(): Program {
    const args = ['serve', '--listen', '127.0.0.1:0', '--data', this.#store, ...this.#more]
    return new Program(args, { env: { STEAD_FIND_REGIONS: 'true' } })
  }

  async #register(): Promise<void> {
    const configuration = { directory: this.#region, isolation: 'best', forbidden: { paths: [this.data], ports: [] } }
    const body = { name: 'local', spec: { provider: 'local', configuration } }
    expect(await this.ask('POST', '/v1/regions', body)).toMatchObject({ status: 201 })
  }

  async #listens(): Promise<void> {
    this.url = await this.#program.listening()
  }

  /** As if the power of its process were cut, after so long; then started on the same data. */
  async crash(after = 0): Promise<void> {
    await sleep(after)
    this.#program.process.kill('SIGKILL')
    await this.#program.exited
    this.printed += this.#program.stdout + this.#program.stderr
    this.#program = this.#start()
    await this.#listens()
  }

  /** Backs its store up while it runs. */
  async backUp(): Promise<string> {
    const file = join(this.#directory, `backup-${randomUUID()}`)
    await this.#run('backup', file)
    return file
  }

  /** Its store is from then on what the backup was; what runs is not touched. */
  async restore(backup: string): Promise<void> {
    this.#program.process.kill('SIGTERM')
    await this.#program.exited
    this.#store = join(this.#directory, `restored-${randomUUID()}`)
    await this.#run('restore', backup)
    copyFileSync(join(this.data, 'seal.key'), join(this.#store, 'seal.key'))
    this.#program = this.#start()
    await this.#listens()
  }

  /** Answers what it says to whoever resumes it. */
  resume(): Promise<string> {
    return this.#run('resume')
  }

  /** All that it has written to its log since it was last started. */
  get log(): string {
    return this.#program.stderr
  }

  async #run(...command: readonly string[]): Promise<string> {
    const program = new Program([...command, '--data', this.#store])
    const { code } = await program.exited
    expect(code, program.stderr).toBe(0)
    return program.stdout
  }

  /** The headers that the admin comes with. */
  get credentials(): { readonly authorization: string } {
    return { authorization: `Bearer ${readFileSync(join(this.data, 'admin.token'), 'utf8').trim()}` }
  }

  async ask(method: string, path: string, body?: unknown, key?: string): Promise<Answer> {
    const text = await this.read(method, path, body, key)
    return { status: text.status, body: text.body === '' ? undefined : JSON.parse(text.body) }
  }

  /** The same, as it is written. */
  async read(method: string, path: string, body?: unknown, key?: string) {
    const answer = await fetch(this.url + path, {
      method,
      headers: {
        ...this.credentials,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: await answer.text() }
  }

  /** Something to be done in the project. Where it is cut short it is said again, as a caller without an answer does. */
  async tell(method: string, path: string, body?: unknown, cut?: Moment): Promise<Answer> {
    const key = randomUUID()
    const once = () => this.ask(method, `${project}/instances${path}`, body, key)
    if (cut?.since === 'asked') {
      const lost = once().catch(() => undefined)
      await this.crash(cut.millis)
      await lost
    }
    const answer = await once()
    if (cut?.since === 'answered') await this.crash(cut.millis)
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
    const found = readdirSync(join(this.#region, 'instances')).filter(name => name !== '.pipes')
    for (const each of found) this.#everKept.add(each)
    return found
  }

  /** What it keeps of images. */
  keptImages(): string[] {
    return readdirSync(join(this.#region, 'images'))
  }

  /** The control groups of all instances that it was ever asked about. */
  groups(): string[] {
    return [...this.#everKept].flatMap(groupsOf)
  }

  /** What there is of instances besides what the region keeps: their processes, control groups and mounts. */
  traces(): string[] {
    const processes = processesWith(this.mark, 'environ', 'cmdline').map(describeProcess)
    // The supervisor, in a namespace of its own, has mounts for all of them together.
    const mounters = [...this.#everKept].flatMap(instance => processesWith(instance, 'mountinfo'))
    const mounts = mounters.map(pid => `mounts in ${describeProcess(pid)}`)
    const own = readProcess(process.pid, 'mountinfo').split('\n')
    return [...processes, ...this.groups(), ...mounts, ...own.filter(line => line.includes(this.#directory))]
  }

  get #region(): string {
    return join(this.data, 'regions', 'local')
  }

  /** Everything that runs for our instances under this name. */
  processes(name: string): number[] {
    return processesWith(this.mark, 'environ').filter(pid => readProcess(pid, 'comm') === `${name}\n`)
  }

  /**
   * Ends it, and kills what is left, found by names that nobody else has. A test that ended all its instances and passed
   * leaves nothing to be killed: where it does, it has not passed.
   */
  async #clear(hasPassed: boolean): Promise<void> {
    this.#program.process.kill('SIGTERM')
    await this.#program.exited
    const left = () => [this.#directory, this.mark].flatMap(text => processesWith(text, 'cmdline', 'environ'))
    const isIdle = existsSync(this.#region) && this.kept().length === 0
    for (let tries = 0; isIdle && left().length > 0 && tries < 500; tries++) await sleep(20)
    const found = left()
    const told = found.map(describeProcess)
    for (const pid of found) end(pid)
    if (hasPassed && isIdle) expect(told, 'left behind by what should have ended').toEqual([])
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
