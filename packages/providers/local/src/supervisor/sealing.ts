import { createCipheriv, createDecipheriv } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import type { LaunchSpec, ServiceLaunch } from '@stead/provider-kit'
import type { World } from '@stead/world'
import { writeNewFile } from '../sandbox/paths.ts'
import { decodeJson, encodeJson } from '../wire/frames.ts'

/** Encrypts the secrets of what is kept, so that a copy of a directory without its key tells none of them. */
export class Seal {
  readonly #world: World
  readonly #key: Buffer

  constructor(world: World, keyFile: string) {
    this.#world = world
    if (!existsSync(keyFile)) writeNewFile(keyFile, world.randomBytes(32), { mode: 0o400, owner: undefined })
    this.#key = readFileSync(keyFile)
  }

  close(value: unknown): Buffer {
    const nonce = this.#world.randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce)
    const text = Buffer.concat([cipher.update(encodeJson(value)), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), text])
  }

  open(sealed: Buffer): unknown {
    const decipher = createDecipheriv('aes-256-gcm', this.#key, sealed.subarray(0, 12))
    decipher.setAuthTag(sealed.subarray(12, 28))
    const frame = Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()])
    return decodeJson(frame.subarray(5))
  }
}

type Secrets = Readonly<Record<string, Pick<ServiceLaunch, 'secretEnv' | 'files'>>>

export interface SealedSpec {
  readonly spec: LaunchSpec
  readonly secrets: Buffer
}

/** Takes the secrets out of a spec and seals them. */
export function sealSpec(spec: LaunchSpec, seal: Seal): SealedSpec {
  const secrets: Record<string, Secrets[string]> = {}
  // What images are pulled with is of no use where none are pulled.
  const open = mapServices(spec, ({ pullSecret: _, ...service }, name) => {
    secrets[name] = { secretEnv: service.secretEnv, files: service.files }
    return { ...service, secretEnv: {}, files: [] }
  })
  return { spec: open, secrets: seal.close(secrets) }
}

export function openSpec({ spec, secrets }: SealedSpec, seal: Seal): LaunchSpec {
  const opened = seal.open(secrets) as Secrets
  return mapServices(spec, (service, name) => ({ ...service, ...opened[name] }))
}

function mapServices(spec: LaunchSpec, change: (service: ServiceLaunch, name: string) => ServiceLaunch): LaunchSpec {
  if (spec.source.type !== 'services') return spec
  const services = Object.entries(spec.source.services).map(([name, service]) => [name, change(service, name)])
  return { ...spec, source: { ...spec.source, services: Object.fromEntries(services) } }
}
