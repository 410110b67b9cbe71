import type { FieldError } from '../../errors/problem.ts'
import { pointerTo } from '../../schema/pointer.ts'
import type { HealthCheckSpec, ServiceSpec, ServicesSource } from '../source/services.ts'
import { secretsInWords, servicePath } from '../source/validate-secrets.ts'
import { type Read, type RenderedText, renderText } from './template.ts'

/** A service whose every text says what it means. */
export interface RenderedService extends ServiceSpec {
  /** Of its environment, what has something secret in it. */
  readonly secretEnv: Readonly<Record<string, string>>
}

export interface RenderedServices extends Omit<ServicesSource, 'services'> {
  readonly services: Readonly<Record<string, RenderedService>>
}

/** More than so much of rendered text is in no instance: a few long values, used often, would fill any memory. */
const mostCharacters = 1_048_576

/** Renders every text of services, and says what is wrong with them, each with its place. */
export function renderServices(
  source: ServicesSource,
  read: Read,
): { readonly source: RenderedServices; readonly errors: readonly FieldError[] } {
  const renderer = new Renderer(read)
  const services = Object.entries(source.services).map(([name, service]) => [name, renderer.service(name, service)])
  return { source: { ...source, services: Object.fromEntries(services) }, errors: renderer.errors }
}

class Renderer {
  readonly errors: FieldError[] = []
  readonly #read: Read
  #left = mostCharacters

  constructor(read: Read) {
    this.#read = read
  }

  service(name: string, service: ServiceSpec): RenderedService {
    const path = servicePath(name)
    const { image, command, args, env = {}, files, healthChecks, volumes, user } = service
    const words = (field: string, texts: readonly string[]) =>
      texts.map((text, index) => this.#open(`${path}/${field}/${index}`, text))
    const texts = Object.entries(env).map(
      ([key, text]) => [key, this.#text(pointerTo(`${path}/env`, key), text)] as const,
    )
    const environment = (isSecret: boolean) =>
      Object.fromEntries(texts.flatMap(([key, found]) => (found.isSecret === isSecret ? [[key, found.text]] : [])))
    const secretEnv = environment(true)
    this.errors.push(...secretsInWords(path, service, Object.keys(secretEnv)))
    return {
      ...service,
      image: this.#open(`${path}/image`, image),
      ...(command && { command: words('command', command) }),
      ...(args && { args: words('args', args) }),
      ...(service.env && { env: environment(false) }),
      secretEnv,
      ...(files && { files: this.#files(`${path}/files`, files) }),
      ...(healthChecks && {
        healthChecks: healthChecks.map((check, index) => this.#check(`${path}/healthChecks/${index}`, check)),
      }),
      ...(volumes && {
        volumes: volumes.map((volume, index) => ({
          ...volume,
          path: this.#open(`${path}/volumes/${index}/path`, volume.path),
        })),
      }),
      ...(user !== undefined && { user: this.#open(`${path}/user`, user) }),
    }
  }

  /** What has something secret in it is a secret file. */
  #files(path: string, files: NonNullable<ServiceSpec['files']>): NonNullable<ServiceSpec['files']> {
    const rendered = Object.entries(files).map(([name, file]) => {
      if (file.content === undefined) return [name, file] as const
      const { text, isSecret } = this.#text(`${pointerTo(path, name)}/content`, file.content)
      return [name, { ...file, content: text, ...(isSecret && { secret: true }) }] as const
    })
    return Object.fromEntries(rendered)
  }

  #check(path: string, check: HealthCheckSpec): HealthCheckSpec {
    const { path: asked, service, command } = check
    return {
      ...check,
      ...(asked !== undefined && { path: this.#open(`${path}/path`, asked) }),
      ...(service !== undefined && { service: this.#open(`${path}/service`, service) }),
      ...(command && { command: command.map((word, index) => this.#open(`${path}/command/${index}`, word)) }),
    }
  }

  /** A text that others can read. */
  #open(path: string, text: string): string {
    const found = this.#text(path, text)
    if (found.isSecret) this.errors.push({ path, message: 'would show a secret: use it in env, files or user data' })
    return found.text
  }

  #text(path: string, text: string): RenderedText {
    const found = renderText(text, this.#read)
    if (found.problem !== undefined) this.errors.push({ path, message: found.problem })
    const isOver = this.#left < 0
    if (text !== found.text) this.#left -= found.text.length
    if (this.#left < 0 && !isOver)
      this.errors.push({ path, message: `makes all of it longer than ${mostCharacters} characters` })
    return this.#left < 0 ? { text: '', isSecret: found.isSecret } : found
  }
}
