import { type Duration, millis, type World } from '@stead/world'
import { encodeRequest, type Request } from '../api/client/messages.ts'
import { Pool } from '../api/client/pool.ts'
import { SteadProgram } from '../api/stead/program.ts'
import type { Scratch } from '../harness/scratch.ts'
import { CloudProcess } from './cloud/cloud.ts'

/** How many requests are under way at once. */
const clients = 64
/** So that no list of a tenant's is a list of everything. */
const projectCount = 10
/** The cloud is asked this often whether all is there; once it is, Stead is asked as often. */
const lookEvery: Duration = millis(50)

const spec = {
  region: 'simulated',
  onCrash: 'stop',
  source: {
    services: {
      services: {
        web: {
          role: 'main',
          image: 'host',
          command: ['serve'],
          ports: [{ name: 'http', protocol: 'tcp' }],
          resources: { cpuMillis: 200, memoryMiB: 128 },
        },
      },
    },
  },
}

/** What something has cost `stead serve`, and how long it took. */
export interface Cost {
  /** In milliseconds. */
  readonly elapsed: number
  /** Processor time of all its threads, in milliseconds. */
  readonly processor: number
  /** Commits that changed something: each is one entry. */
  readonly logEntries: number
}

/** `stead serve`, a cloud, and instances of several tenants in it. */
export class Estate {
  readonly #world: World
  readonly #scratch: Scratch
  readonly #data: string
  readonly #cloud: CloudProcess
  readonly #projects: string[] = []
  #program: SteadProgram
  /** Open while something is asked: connections on which nobody asks are closed by the server, which would not be idle. */
  #pool: Pool | undefined
  #named = 0
  #ids: { readonly project: string; readonly name: string }[] = []

  private constructor(
    world: World,
    scratch: Scratch,
    { data, cloud, program }: { readonly data: string; readonly cloud: CloudProcess; readonly program: SteadProgram },
  ) {
    this.#world = world
    this.#scratch = scratch
    this.#data = data
    this.#cloud = cloud
    this.#program = program
  }

  static async open(world: World, scratch: Scratch): Promise<Estate> {
    const data = scratch.newDirectory('estate')
    const cloud = await CloudProcess.start(scratch)
    const program = await SteadProgram.start(world, scratch, { data, ...cloud.program })
    const estate = new Estate(world, scratch, { data, cloud, program })
    await program.ask('POST', '/v1/organizations', { name: 'bench' })
    for (let project = 0; project < projectCount; project++) {
      const { metadata } = await program.ask('POST', '/v1/organizations/bench/projects', { name: `project-${project}` })
      estate.#projects.push(metadata.id)
    }
    return estate
  }

  get size(): number {
    return this.#ids.length
  }

  /** Milliseconds until `stead serve` listened, when it was last started. */
  get readyAfter(): number {
    return this.#program.readyAfter
  }

  residentBytes(): Promise<number> {
    return this.#program.residentBytes()
  }

  /** What the cloud has of it. */
  inCloud(): ReturnType<CloudProcess['count']> {
    return this.#cloud.count()
  }

  /** Creates this many, all at once as far as the connections allow, and waits until all of them run. */
  up(count: number): Promise<Cost> {
    return this.costOf(async () => {
      const names = Array.from({ length: count }, () => `i-${this.#named++}`)
      const places = names.map((name, index) => ({ name, project: this.#projects[index % projectCount]! }))
      await this.#each(places, ({ project, name }) => ({ method: 'POST', path: within(project), body: { name, spec } }))
      this.#ids.push(...places)
      await this.#until(async () => (await this.inCloud()).active === this.size)
      await this.#until(async () => (await this.#total('?phase=running&limit=1')) === this.size)
    })
  }

  /** Deletes all, and waits until nothing is left. */
  down(): Promise<Cost> {
    return this.costOf(async () => {
      const all = this.#ids.splice(0)
      await this.#each(all, ({ project, name }) => ({ method: 'DELETE', path: `${within(project)}/${name}` }))
      await this.#until(async () => (await this.inCloud()).all === 0)
      await this.#until(async () => (await this.#total('?limit=1')) === 0)
    })
  }

  /** What this has cost. */
  costOf(work: () => Promise<unknown>): Promise<Cost> {
    return this.#connected(() => this.#costOf(work))
  }

  async #costOf(work: () => Promise<unknown>): Promise<Cost> {
    const before = await this.#figures()
    const began = this.#world.monotonic()
    await work()
    const elapsed = this.#world.monotonic() - began
    const after = await this.#figures()
    return {
      elapsed,
      processor: (after.processor - before.processor) * 1_000,
      logEntries: after.revision - before.revision,
    }
  }

  /** What it costs to be left alone. */
  idle(length: Duration): Promise<Cost> {
    return this.#costOf(() => this.#world.sleep(length))
  }

  /** One after the other, what so many run on dies; each is waited for until its tenant sees it. */
  async crash(count: number): Promise<void> {
    for (const { project, name } of this.#ids.slice(0, count)) {
      const seen = this.#ask({ method: 'GET', path: `${within(project)}/${name}/wait?phase=stopped` })
      await this.#cloud.crash(name)
      await seen
    }
  }

  /** Starts those again. */
  mend(count: number): Promise<void> {
    const dead = this.#ids.slice(0, count)
    const path = ({ project, name }: (typeof dead)[number], rest: string) => `${within(project)}/${name}/${rest}`
    return this.#connected(async () => {
      await this.#each(dead, each => ({ method: 'POST', path: path(each, 'start') }))
      await this.#each(dead, each => ({ method: 'GET', path: path(each, 'wait?phase=running') }))
    })
  }

  /** Stops it and starts it again on what it has kept. The cloud stays. */
  async restart(): Promise<void> {
    await this.#program.stop()
    const options = { data: this.#data, ...this.#cloud.program }
    this.#program = await SteadProgram.start(this.#world, this.#scratch, options)
  }

  async close(): Promise<void> {
    await this.#program.stop()
    await this.#cloud.stop()
  }

  async #figures(): Promise<{ readonly processor: number; readonly revision: number }> {
    // At once: to write all metrics out takes it as long as some events do.
    const [processor, revision] = await this.#program.metrics('process_cpu_seconds_total', 'stead_cache_revision')
    return { processor: processor!, revision: revision! }
  }

  async #total(query: string): Promise<number> {
    const lists = this.#projects.map(async project => {
      const { body } = await this.#ask({ method: 'GET', path: within(project) + query })
      return JSON.parse(body.toString()).total as number
    })
    return (await Promise.all(lists)).reduce((sum, each) => sum + each, 0)
  }

  async #until(isSo: () => Promise<boolean>): Promise<void> {
    while (!(await isSo())) await this.#world.sleep(lookEvery)
  }

  async #connected<T>(work: () => Promise<T>): Promise<T> {
    const pool = await Pool.open(this.#program.port, clients)
    this.#pool = pool
    try {
      return await work()
    } finally {
      pool.close()
    }
  }

  async #each<T>(all: readonly T[], request: (each: T) => Omit<Request, 'token'>): Promise<void> {
    let next = 0
    const work = async () => {
      while (next < all.length) await this.#ask(request(all[next++]!))
    }
    await Promise.all(Array.from({ length: clients }, work))
  }

  async #ask(request: Omit<Request, 'token'>) {
    const answer = await this.#pool!.ask(encodeRequest({ ...request, token: this.#program.adminToken }))
    if (answer.status >= 300) throw new Error(`${request.path} was answered ${answer.status}: ${answer.body}`)
    return answer
  }
}

const within = (project: string): string => `/v1/projects/${project}/instances`
