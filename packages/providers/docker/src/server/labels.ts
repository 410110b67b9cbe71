import { hash } from 'node:crypto'
import {
  type CreateToken,
  createTags,
  type LaunchSpec,
  type ServiceLaunch,
  servicesOf,
  type Tags,
} from '@stead/provider-kit'
import type { Labels } from '../engine/engine.ts'

/**
 * What a server is in an engine. Its record is a container that is never started, named by the token: names are unique, so
 * there is one. It carries the tags and what must be known to go on with a launch that somebody else began. Everything else
 * of it, one container per service, a network, volumes, carries its id.
 */
export const labels = {
  /** On everything of one server. */
  id: 'stead.docker.id',
  /** `record`, `service`, `network`: what a container is to its server. */
  part: 'stead.docker.part',
  service: 'stead.docker.service',
  shape: 'stead.docker.shape',
  rest: 'stead.docker.rest',
  /** On a record: the network that its server shares with others. */
  network: 'stead.docker.network',
} as const

/** The token of a launch gives the id, so that an id cannot be lost. */
export const idOf = (kind: string, token: CreateToken): string => `stead-${kind}${hash('sha256', token).slice(0, 24)}`
export const serverId = (token: CreateToken): string => idOf('', token)

/** By the name of its record one sees how far a server is. Service names hold no `_`, so none of these can be one. */
export const names = {
  record: (id: string) => id,
  /** All of its parts were there once: one that is missing was taken away. */
  made: (id: string) => `${id}_made`,
  going: (id: string) => `${id}_going`,
  service: (id: string, service: string) => `${id}.${service}`,
  holder: (id: string) => `${id}_network`,
  network: (id: string) => id,
  files: (id: string) => `${id}_files`,
  volume: (id: string, volume: string) => `${id}.${volume}`,
}

export interface PortShape {
  readonly name: string
  readonly protocol: 'tcp' | 'udp'
  readonly port: number
  readonly public: boolean
}

/** What must be known of a service to bring it up in order, and to tell of it. Nothing secret. */
export type ServiceShape = Pick<
  ServiceLaunch,
  'role' | 'image' | 'dependsOn' | 'healthChecks' | 'restart' | 'stopGraceSeconds'
> & { readonly ports: readonly PortShape[]; readonly isSecretive: boolean }

export interface Shape {
  readonly power: 'on' | 'off'
  /** A network that it shares with others, and its name there. */
  readonly shared?: { readonly network: string; readonly name: string }
  readonly services: Readonly<Record<string, ServiceShape>>
}

export const sharedNetworkOf = ({ source }: LaunchSpec): string | undefined =>
  source.type === 'services' ? source.network : undefined

/** Where ports begin that we pick: above what programs like to listen on, below what systems hand out by themselves. */
const firstPicked = 20_000

export function shapeOf(spec: LaunchSpec): Shape {
  const services = servicesOf(spec)
  const declared = new Set(Object.values(services).flatMap(({ ports }) => ports.map(({ port }) => port)))
  let next = firstPicked
  const pick = () => {
    while (declared.has(next)) next++
    return next++
  }
  const shapes = Object.entries(services).map(([name, service]) => {
    const { role, image, dependsOn, healthChecks, restart, stopGraceSeconds } = service
    const ports = service.ports.map(({ name, protocol, port, public: isPublic = false }) => ({
      ...{ name, protocol, port: port ?? pick(), public: isPublic },
    }))
    const isSecretive = Object.keys(service.secretEnv).length > 0
    return [name, { role, image, dependsOn, healthChecks, restart, stopGraceSeconds, ports, isSecretive }]
  })
  const network = sharedNetworkOf(spec)
  const shared = network === undefined ? undefined : { network, name: spec.name }
  return { power: spec.power, ...(shared && { shared }), services: Object.fromEntries(shapes) }
}

/** Larger ones are kept beside the secrets: labels are part of every list. */
const largestLabel = 16_384

/** Bytes are asked for where they lie: a Buffer has turned itself into something else before a value is handed over. */
const packed = (spec: LaunchSpec) =>
  JSON.stringify(spec, function (this: Readonly<Record<string, unknown>>, key, value: unknown) {
    const raw = this[key]
    return raw instanceof Uint8Array ? { $bytes: Buffer.from(raw).toString('base64') } : value
  })

export const packSpec = (spec: LaunchSpec): Buffer => Buffer.from(packed(spec))

export const unpackSpec = (text: string): LaunchSpec =>
  JSON.parse(text, (_, value: { $bytes?: string } | null) =>
    typeof value?.$bytes === 'string' ? Buffer.from(value.$bytes, 'base64') : value,
  ) as LaunchSpec

/** A spec that may stand in a label for everybody to read. */
export function openText(spec: LaunchSpec): string | undefined {
  const isClosed = ({ secretEnv, files, pullSecret }: ServiceLaunch) =>
    Object.keys(secretEnv).length + files.length > 0 || pullSecret !== undefined
  if (Object.values(servicesOf(spec)).some(isClosed)) return undefined
  const text = packed(spec)
  return text.length <= largestLabel ? text : undefined
}

export function recordLabels(spec: LaunchSpec, id: string, token: string, fingerprint: string): Labels {
  const rest = openText(spec)
  const network = sharedNetworkOf(spec)
  return {
    ...spec.tags,
    [createTags.token]: token,
    [createTags.fingerprint]: fingerprint,
    [labels.id]: id,
    [labels.part]: 'record',
    [labels.shape]: JSON.stringify(shapeOf(spec)),
    ...(rest !== undefined && { [labels.rest]: rest }),
    ...(network !== undefined && { [labels.network]: network }),
  }
}

const ours = new Set<string>([...Object.values(labels), ...Object.values(createTags)])

/** The tags among the labels of a record. */
export const tagsIn = (all: Labels): Tags => Object.fromEntries(Object.entries(all).filter(([key]) => !ours.has(key)))
