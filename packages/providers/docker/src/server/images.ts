import { isProviderError, ProviderError, type PullSecret } from '@stead/provider-kit'
import type { Engine } from '../engine/engine.ts'
import type { Image } from '../engine/words.ts'

const ofDocker = 'docker.io'

/** `registry/path:tag@digest`, taken apart. */
export function parseReference(reference: string): { host: string; repository: string; tag: string | undefined } {
  const [name, digest] = reference.split('@') as [string, string | undefined]
  const [first, ...others] = name.split('/') as [string, ...string[]]
  const hasHost = others.length > 0 && (/[.:]/.test(first) || first === 'localhost')
  const last = name.slice(name.lastIndexOf('/') + 1)
  const colon = last.indexOf(':')
  const tag = colon < 0 ? undefined : last.slice(colon + 1)
  const repository = tag === undefined ? name : name.slice(0, -(tag.length + 1))
  return { host: hasHost ? first : ofDocker, repository, tag: digest ?? tag ?? 'latest' }
}

/** The images of an engine: looked up, and pulled where that is allowed. */
export class Images {
  readonly #engine: Engine
  readonly #mayPull: boolean
  readonly #registries: readonly PullSecret[]
  readonly #pulling = new Map<string, Promise<void>>()
  readonly #progress = new Map<string, string>()
  readonly #listeners = new Set<() => void>()

  constructor(engine: Engine, mayPull: boolean, registries: readonly PullSecret[]) {
    this.#engine = engine
    this.#mayPull = mayPull
    this.#registries = registries
  }

  /** Answers what is here, and refuses what is not to be had. Whether a registry has it is asked where the engine can ask. */
  async admit(reference: string, secret?: PullSecret): Promise<Image | undefined> {
    if (!/^[\w][\w./:@-]*$/.test(reference))
      throw new ProviderError('InvalidConfig', `${JSON.stringify(reference)} is no name of an image`)
    const there = await this.#engine.image(reference)
    if (there) return there
    if (!this.#mayPull)
      throw new ProviderError('InvalidConfig', `there is no image ${reference}, and this region pulls none`)
    try {
      await this.#engine.distribution(reference, this.#credentials(reference, secret))
    } catch (error) {
      if (isProviderError(error, 'Auth')) throw new ProviderError('InvalidConfig', (error as Error).message)
      // Podman knows no such question, and a registry that is away may be back when it matters.
      if (isProviderError(error, 'NotFound') && /manifest|repository|unknown/i.test(error.message))
        throw new ProviderError('InvalidConfig', `there is no image ${reference}: ${error.message}`)
    }
    return undefined
  }

  /** The image, pulled if need be. */
  async get(reference: string, secret?: PullSecret): Promise<Image> {
    const there = await this.#engine.image(reference)
    if (there) return there
    if (!this.#mayPull) throw new ProviderError('InvalidConfig', `there is no image ${reference} any more`)
    const pulling =
      this.#pulling.get(reference) ??
      this.#pull(reference, secret).finally(() => {
        this.#pulling.delete(reference)
        this.#progress.delete(reference)
      })
    this.#pulling.set(reference, pulling)
    await pulling
    const pulled = await this.#engine.image(reference)
    if (!pulled) throw new ProviderError('Internal', `${reference} was pulled, and is not there`)
    return pulled
  }

  /** How far the pull of any of these is, in words. */
  progressOf(references: readonly string[]): string | undefined {
    return references.map(reference => this.#progress.get(reference)).find(text => text !== undefined)
  }

  /** Tells whenever a pull has come further. */
  onProgress(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #say(reference: string, text: string): void {
    if (this.#progress.get(reference) === text) return
    this.#progress.set(reference, text)
    for (const listener of this.#listeners) listener()
  }

  async #pull(reference: string, secret: PullSecret | undefined): Promise<void> {
    const { repository, tag } = parseReference(reference)
    const layers = new Map<string, { current: number; total: number; isDone: boolean }>()
    this.#say(reference, `pulling ${reference}`)
    for await (const { id, status = '', progressDetail } of this.#engine.pull(
      { fromImage: repository, tag },
      this.#credentials(reference, secret),
    )) {
      if (id === undefined) continue
      const before = layers.get(id) ?? { current: 0, total: 0, isDone: false }
      const { current = before.current, total = before.total } = progressDetail ?? {}
      layers.set(id, { current, total, isDone: /complete|exists/i.test(status) })
      const all = [...layers.values()]
      const [done, sum] = [
        all.filter(({ isDone }) => isDone).length,
        all.reduce((bytes, layer) => bytes + layer.total, 0),
      ]
      const size = sum > 0 ? `, ${(sum / 2 ** 20).toFixed(1)} MiB` : ''
      this.#say(reference, `pulling ${reference}: ${done} of ${all.length} layers${size}`)
    }
  }

  /** What the instance brings, or else what the region has for this registry. */
  #credentials(reference: string, secret: PullSecret | undefined): Record<string, string> {
    const { host } = parseReference(reference)
    const found = [...(secret ? [secret] : []), ...this.#registries].find(({ server }) => server === host)
    if (!found) return {}
    const { username, password } = found
    const text = JSON.stringify({ username, password, serveraddress: host })
    // For URLs, and with its padding: Podman refuses it without, and Docker asks as if nothing had been said.
    const encoded = Buffer.from(text).toString('base64').replaceAll('+', '-').replaceAll('/', '_')
    return { 'x-registry-auth': encoded }
  }
}
