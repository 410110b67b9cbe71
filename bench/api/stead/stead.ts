import type { World } from '@stead/world'
import type { Scratch } from '../../harness/scratch.ts'
import { HttpConnection } from '../client/connection.ts'
import { encodeRequest, headersOf } from '../client/messages.ts'
import { type Contender, type Exchange, mustBeDone, type Operation } from '../contender.ts'
import { SteadProgram } from './program.ts'

/**
 * One credential may ask 20,000 times a second, about what this can be made to answer: a few of them, and the limit that
 * every installation has stays on without being what is measured.
 */
const tokenCount = 4
const makers = 64
/** Headers that Node writes by itself. */
const ofNode: ReadonlySet<string> = new Set(['connection', 'content-length', 'date', 'keep-alive'])

/** `stead serve` with an organization full of projects. */
export class Stead implements Contender {
  readonly name = 'Stead'
  readonly #world: World
  readonly #scratch: Scratch
  readonly #data: string
  #program: SteadProgram
  #organization = ''
  readonly #tokens: string[] = []
  readonly #projects: string[] = []
  #gets: Buffer[] = []
  #lists: Buffer[] = []
  #made = 0
  /** How many projects it said there are from now on. */
  acknowledged = 0

  private constructor(world: World, scratch: Scratch, data: string, program: SteadProgram) {
    this.#world = world
    this.#scratch = scratch
    this.#data = data
    this.#program = program
  }

  static async start(world: World, scratch: Scratch, projects: number): Promise<Stead> {
    const data = scratch.newDirectory('stead')
    const stead = new Stead(world, scratch, data, await SteadProgram.start(world, scratch, { data }))
    await stead.#prepare(projects)
    return stead
  }

  get port(): number {
    return this.#program.port
  }

  requestOf(operation: Operation, connection: number, turn: number): Buffer {
    if (operation === 'create') return this.#creation(connection)
    const requests = operation === 'get' ? this.#gets : this.#lists
    return requests[(connection + turn * tokenCount) % requests.length]!
  }

  processorSeconds(): Promise<number> {
    return this.#program.metric('process_cpu_seconds_total')
  }

  residentBytes(): Promise<number> {
    return this.#program.residentBytes()
  }

  /** What it is asked and answers, for another to be asked and answer the same bytes. */
  async exchanges(): Promise<Readonly<Record<Operation, Exchange>>> {
    const connection = await HttpConnection.open(this.port)
    const exchange = async (operation: Operation) => {
      const request = this.requestOf(operation, 0, 0)
      const { status, head, body } = await connection.ask(request)
      const ours = Object.entries(headersOf(head)).filter(([name]) => !ofNode.has(name))
      return { request, answer: { status, headers: Object.fromEntries(ours), body: body.toString() } }
    }
    const exchanges = { get: await exchange('get'), list: await exchange('list'), create: await exchange('create') }
    this.acknowledged++
    connection.close()
    return exchanges
  }

  /** Kills it, starts it again, and throws when it does not hold exactly what it acknowledged. */
  async survives(): Promise<void> {
    await this.#program.kill()
    this.#program = await SteadProgram.start(this.#world, this.#scratch, { data: this.#data })
    const { quotas } = await this.#program.ask('GET', `/v1/organizations/${this.#organization}/quotas`)
    const { used } = quotas.find(({ kind }: { kind: string }) => kind === 'projects')
    if (used !== this.acknowledged)
      throw new Error(`Stead acknowledged ${this.acknowledged} projects, and holds ${used}`)
  }

  stop(): Promise<void> {
    return this.#program.stop()
  }

  async #prepare(projects: number): Promise<void> {
    this.#organization = (await this.#program.ask('POST', '/v1/organizations', { name: 'bench' })).metadata.id
    await this.#makeTokens(`/v1/organizations/${this.#organization}`)
    await Promise.all(Array.from({ length: Math.min(makers, projects) }, (_, maker) => this.#make(maker, projects)))
    // Neighbours in the list differ in their token, so that a connection that goes on by the number of tokens keeps its own.
    const each = (path: (index: number) => string, count: number) =>
      Array.from({ length: count }, (_, index) => this.#read(path(index), index))
    this.#gets = each(index => `/v1/projects/${this.#projects[index]}`, this.#projects.length)
    this.#lists = each(() => `/v1/organizations/${this.#organization}/projects?limit=100`, tokenCount)
  }

  /** Asked with are tokens of a tenant's own account, whose rights come from a grant, as they do in life. */
  async #makeTokens(organization: string): Promise<void> {
    const accounts = `${organization}/service-accounts`
    const { metadata } = await this.#program.ask('POST', accounts, { name: 'client' })
    await this.#program.ask('POST', `${organization}/grants`, { principal: metadata.id, role: 'org-admin' })
    for (let made = 0; made < tokenCount; made++)
      this.#tokens.push((await this.#program.ask('POST', `${accounts}/client/tokens`, {})).token)
  }

  async #make(maker: number, projects: number): Promise<void> {
    const connection = await HttpConnection.open(this.port)
    while (this.#made < projects) {
      const answer = await connection.ask(this.#creation(maker))
      mustBeDone('create', answer)
      this.acknowledged++
      this.#projects.push(JSON.parse(answer.body.toString()).metadata.id)
    }
    connection.close()
  }

  #read(path: string, connection: number): Buffer {
    return encodeRequest({ method: 'GET', path, token: this.#tokenOf(connection) })
  }

  #creation(connection: number): Buffer {
    const name = `project-${String(this.#made++).padStart(7, '0')}`
    const path = `/v1/organizations/${this.#organization}/projects`
    return encodeRequest({ method: 'POST', path, token: this.#tokenOf(connection), body: { name } })
  }

  #tokenOf(connection: number): string {
    return this.#tokens[connection % tokenCount]!
  }
}
