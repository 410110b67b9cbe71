import type { View } from '@stead/engine'
import type { Capabilities } from '@stead/provider-kit'
import { type FieldError, fail } from '../../errors/problem.ts'
import { pointerTo } from '../../schema/pointer.ts'
import { Secret } from '../../secrets/model.ts'
import { meant, type Seeking } from '../meant.ts'
import type { InstanceSpec, WrittenSpec } from '../model.ts'
import type { SecretUse, ServiceSpec, ServicesSource } from '../source/services.ts'
import { servicePath } from '../source/validate-secrets.ts'
import { usedSecrets } from './used-secrets.ts'
import { isReference } from './variables.ts'

export interface SecretSeeking extends Seeking {
  readonly everything: View
  readonly capabilities: Capabilities
  /** What it was before: secrets that it had are taken as they are. */
  readonly before: InstanceSpec | undefined
}

/** Finds the secrets that an instance uses, as the caller sees them, and whether each can be used so in its region. */
export function resolveSecrets<Spec extends Pick<WrittenSpec, 'source' | 'variableValues'>>(
  spec: Spec,
  seeking: SecretSeeking,
): { readonly spec: Spec; readonly secrets: readonly Secret[] } {
  const finder = new SecretFinder(seeking)
  const { services } = spec.source
  const source = services && { ...spec.source, services: resolveServices(services, { finder, seeking }) }
  const variableValues = spec.variableValues && resolveValues(spec.variableValues, finder)
  finder.refuse()
  return {
    spec: { ...spec, ...(source && { source }), ...(variableValues && { variableValues }) },
    secrets: finder.found,
  }
}

function resolveServices(source: ServicesSource, around: Around): ServicesSource {
  const services = Object.entries(source.services).map(([name, service]) => [
    name,
    resolveService(servicePath(name), service, around),
  ])
  return { ...source, services: Object.fromEntries(services) }
}

function resolveValues(values: Values, finder: SecretFinder): Values {
  const resolved = Object.entries(values).map(([name, value]) => {
    if (!isReference(value)) return [name, value]
    const path = pointerTo('/spec/variableValues', name)
    const secret = finder.find(value.secret, { path, version: value.version })
    if (!secret.status.isText) finder.wrong(path, 'cannot be it: it is not text')
    return [name, { ...value, secret: secret.id }]
  })
  return Object.fromEntries(resolved)
}

type Values = NonNullable<WrittenSpec['variableValues']>

/** Looks secrets up, and gathers what is wrong with how they are to be used. */
class SecretFinder {
  readonly #seeking: Omit<SecretSeeking, 'capabilities'>
  readonly #had: ReadonlySet<string>
  readonly #errors: FieldError[] = []
  readonly #found = new Map<string, Secret>()

  constructor(seeking: Omit<SecretSeeking, 'capabilities'>) {
    this.#seeking = seeking
    this.#had = new Set(seeking.before ? usedSecrets(seeking.before).map(({ id }) => id) : [])
  }

  /** Those that were found, each once. */
  get found(): readonly Secret[] {
    return [...this.#found.values()]
  }

  find(text: string, { path, version }: { readonly path: string; readonly version: number | undefined }): Secret {
    const had = this.#had.has(text) ? this.#seeking.everything.get(Secret.kind, text) : undefined
    const secret = had ?? meant(Secret, text, this.#seeking)
    this.#found.set(secret.id, secret)
    if (version !== undefined && !secret.status.versions.some(each => each.version === version))
      this.wrong(`${path}/version`, 'is not a version of it')
    return secret
  }

  wrong(path: string, message: string): void {
    this.#errors.push({ path, message })
  }

  refuse(): void {
    if (this.#errors.length > 0) throw fail('invalid', 'a secret cannot be used so', { errors: this.#errors })
  }
}

interface Around {
  readonly finder: SecretFinder
  readonly seeking: SecretSeeking
}

function resolveService(path: string, service: ServiceSpec, { finder, seeking }: Around): ServiceSpec {
  const { secrets, pullSecret } = service
  const resolved = secrets?.map((use, index) => {
    const at = `${path}/secrets/${index}`
    const secret = finder.find(use.name, { path: at, version: use.version })
    if (use.env !== undefined && !secret.status.isText)
      finder.wrong(`${at}/env`, 'cannot have it: it is not text. Give it in a file')
    refuseUnsupported(at, use, seeking.capabilities)
    return { ...use, name: secret.id }
  })
  const puller = pullSecret === undefined ? undefined : finder.find(pullSecret, { path, version: undefined })
  if (puller && puller.spec.type !== 'registry') finder.wrong(`${path}/pullSecret`, 'must be a secret of type registry')
  return { ...service, ...(resolved && { secrets: resolved }), ...(puller && { pullSecret: puller.id }) }
}

/** What a region cannot do to what runs is told now, not when the secret is rotated. */
function refuseUnsupported(path: string, { onRotate = 'none' }: SecretUse, { groups }: Capabilities): void {
  if (onRotate === 'none') return
  const field = onRotate === 'restart' ? 'environment' : 'files'
  if (groups.update?.fields[field] !== undefined) return
  throw fail('unsupported', 'in its region, what runs cannot be given another version of a secret', {
    errors: [{ path: `${path}/onRotate`, message: 'is not supported in this region' }],
  })
}
