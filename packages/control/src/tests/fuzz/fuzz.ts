import type { OpenApiDocument } from '../../door/reference/openapi.ts'
import { Chance } from './chance.ts'
import { Client, type Received, type SentRequest } from './client.ts'
import { type Operation, operationAt, readDocument } from './document.ts'
import { shownAgain, unreachable } from './exceptions.ts'
import { judge, parsed, type Violation } from './judge.ts'
import { Memory } from './memory.ts'
import { type Caller, type MadeRequest, makeRequest } from './requests.ts'
import { Secrets, secretsAt } from './secrets.ts'

export interface FuzzOptions {
  readonly url: string
  readonly document: OpenApiDocument
  readonly seed: string
  /** Lines that the server logged since the last time. */
  readonly logged?: () => readonly string[]
}

/** At once: requests meet in the server, and the same seed still makes the same requests. */
const atOnce = 16

/** Sends requests made from the document, and holds every answer against it. */
export class Fuzz {
  readonly memory = new Memory()
  readonly secrets = new Secrets()
  readonly chance: Chance
  /** Who asks; whoever prepares the ground fills it. */
  callers: readonly Caller[] = [{ name: 'nobody', headers: {} }]
  readonly operations: readonly Operation[]
  /** What was wrong, each kind on each route once, with the request that shows it. */
  readonly violations = new Map<string, string>()
  /** Answers by route and status. */
  readonly counts = new Map<string, Map<number, number>>()
  sent = 0
  readonly #options: FuzzOptions
  readonly #client: Client

  constructor(options: FuzzOptions) {
    this.#options = options
    this.#client = new Client(options.url)
    this.chance = new Chance(options.seed)
    this.operations = readDocument(options.document)
  }

  close(): void {
    this.#client.close()
  }

  /** Sends so many requests, over all routes alike, but more to those that nothing but refusals came from so far. */
  async run(requests: number): Promise<void> {
    const { chance, memory, secrets } = this
    for (let left = requests; left > 0; left -= atOnce) {
      const { callers } = this
      const unreached = this.unreached()
      const made = Array.from({ length: Math.min(atOnce, left) }, () => {
        const among = unreached.length > 0 && chance.odds(0.25) ? unreached : this.operations
        return makeRequest({ chance, memory, secrets, callers }, chance.pick(among))
      })
      await this.#round(made)
    }
  }

  /** Sends one request that somebody wrote; it is judged like all others. Answers what was answered. */
  // biome-ignore lint/suspicious/noExplicitAny: whoever asks knows what is answered
  async ask(caller: Caller, method: string, path: string, value?: unknown): Promise<any> {
    const operation = operationAt(this.operations, method, path)
    const words = path.split('/').slice(1)
    const params = Object.fromEntries(
      (operation?.words ?? []).flatMap((word, index) =>
        word.startsWith('{') ? [[word.slice(1, -1), decodeURIComponent(words[index]!)]] : [],
      ),
    )
    const body = value === undefined ? undefined : JSON.stringify(value)
    const headers = { ...caller.headers, ...(body !== undefined && { 'content-type': 'application/json' }) }
    const [received] = await this.#round([{ method, path, headers, body, value, params, caller: caller.name }])
    return (
      received && {
        ...(parsed(received.text) as object),
        status: received.status,
        cookies: received.headers['set-cookie'],
      }
    )
  }

  /** Routes that were never answered with a success, and are not known to be out of reach. */
  unreached(): readonly Operation[] {
    const isSuccess = (status: number) => status < 400
    return this.operations.filter(
      ({ name }) => !Object.hasOwn(unreachable, name) && ![...(this.counts.get(name)?.keys() ?? [])].some(isSuccess),
    )
  }

  /** Looks for secrets in anything else that was written. */
  inspect(where: string, text: string): void {
    for (const origin of this.secrets.in(text)) this.#note('secret', where, `${origin} is in it: ${text.slice(0, 300)}`)
  }

  async #round(made: readonly MadeRequest[]): Promise<readonly (Received | undefined)[]> {
    const answers = await Promise.all(made.map(request => this.#send(request)))
    // What one of these answers shows, another must not.
    const shown = answers.map((received, index) => received && this.#shownIn(made[index]!, received))
    answers.forEach((received, index) => {
      if (received) this.#absorb(made[index]!, received, shown[index]!)
    })
    for (const line of this.#options.logged?.() ?? []) this.inspect('the log', line)
    return answers
  }

  async #send(request: MadeRequest): Promise<Received | undefined> {
    this.sent++
    try {
      return await this.#client.send(request)
    } catch (error) {
      const name = operationAt(this.operations, request.method, request.path)?.name ?? request.method
      this.#note('no answer', name, `${error} to ${written(request)}`)
      return undefined
    }
  }

  /** The secrets that an answer shows because it is there to show them. */
  #shownIn({ method, path }: MadeRequest, { status, headers, text }: Received): readonly string[] {
    const operation = operationAt(this.operations, method, path)
    const media = operation?.answers.get(status)?.content.get('application/json')
    const found = media ? secretsAt(media.schema, parsed(text)) : []
    for (const { name, value } of found) {
      const isAgain = headers['idempotent-replayed'] === 'true' || `${operation!.name} ${name}` in shownAgain
      if (!isAgain && this.secrets.in(value).length > 0) this.#note('secret', operation!.name, `${name} is shown again`)
    }
    for (const { name, value } of found) {
      this.secrets.add(value, `the ${name} that ${operation!.name} shows`)
      this.memory.shown.put(name, value)
    }
    for (const cookie of [headers['set-cookie'] ?? []].flat())
      this.secrets.add(/^[^=]*=([^;]*)/.exec(cookie)?.[1] ?? '', `the cookie that ${operation?.name} sets`)
    return found.map(({ value }) => value)
  }

  #absorb(request: MadeRequest, received: Received, shown: readonly string[]): void {
    const { memory } = this
    const operation = operationAt(this.operations, request.method, request.path)
    const name = operation?.name ?? `${request.method} elsewhere`
    const counts = this.counts.get(name) ?? new Map<number, number>()
    this.counts.set(name, counts.set(received.status, (counts.get(received.status) ?? 0) + 1))
    for (const found of judge(operation, received))
      this.#note(found.what, name, `${found.detail}\n  to ${written(request)}`)
    this.#lookForSecrets(name, request, received, shown)
    memory.revision = Math.max(memory.revision, Number(received.headers['stead-revision'] ?? 0))
    if (received.status >= 400 || !operation) return
    const answer = parsed(received.text)
    memory.learn(operation, request.params, answer)
    if (request.value !== undefined) memory.bodies.put(operation.name, request.value)
    const { etag } = received.headers
    const { id } = (answer as { metadata?: { id?: string } } | undefined)?.metadata ?? {}
    if (typeof etag === 'string' && id !== undefined) memory.etags.put(id, etag)
  }

  #lookForSecrets(name: string, request: SentRequest, { headers, text }: Received, shown: readonly string[]): void {
    const { 'set-cookie': _cookies, ...others } = headers
    // Each is meant to be there once: a second time it is a leak.
    const rest = shown.reduce((left, secret) => left.replace(secret, ''), text)
    for (const origin of this.secrets.in(`${rest}\n${JSON.stringify(others)}`))
      this.#note('secret', name, `${origin} is in the answer to ${written(request)}:\n  ${rest.slice(0, 400)}`)
  }

  #note(what: Violation['what'], where: string, detail: string): void {
    const key = `${what}: ${where}`
    if (!this.violations.has(key)) this.violations.set(key, detail)
  }
}

/** A request as somebody would write it down to send it again. */
const written = ({ method, path, headers, body }: SentRequest): string =>
  `${method} ${path.slice(0, 300)} ${JSON.stringify(headers)} ${String(body ?? '').slice(0, 500)}`
