import {
  expand,
  insidePath,
  type LaunchSpec,
  ownerTags,
  portVariable,
  type ServiceLaunch,
  servicesOf,
} from '@stead/provider-kit'
import type { Labels } from '../engine/engine.ts'
import type { TarFile } from '../engine/tar.ts'
import type { Image } from '../engine/words.ts'
import { environmentFile, insideDirectory, insideProgram } from '../inside/install.ts'
import type { Context } from './context.ts'
import { labels, names, packSpec, type Shape } from './labels.ts'
import { isShared } from './view.ts'

/** Where a record has the files of its server. */
export const filesDirectory = '/files'
export const specFile = 'spec.json'

export interface Plan {
  readonly id: string
  readonly spec: LaunchSpec
  readonly shape: Shape
  readonly images: Readonly<Record<string, Image>>
  /** Where the files of the server are for the engine; undefined when it has none. */
  readonly filesAt: string | undefined
  /** Where it is in its own network; undefined where that network finds its services by name. */
  readonly address: string | undefined
}

/** On everything of a server. */
export const partLabels = ({ owner }: Context, id: string): Labels => ({ ...ownerTags(owner), [labels.id]: id })

export function recordBody({ inside }: Context, id: string, all: Labels, hasFiles: boolean): object {
  const Mounts = hasFiles ? [{ Type: 'volume', Source: names.files(id), Target: filesDirectory }] : []
  return { Image: inside.name, Entrypoint: ['/inside'], Labels: all, HostConfig: { NetworkMode: 'none', Mounts } }
}

const sealed = { CapDrop: ['ALL'], SecurityOpt: ['no-new-privileges'] }
/** Enough for a program that waits. */
const holderLimits = { PidsLimit: 16, Memory: 16 * 2 ** 20, MemorySwap: 16 * 2 ** 20 }

export function holderBody(context: Context, plan: Plan): object {
  const { id, shape } = plan
  return {
    Image: context.inside.name,
    Entrypoint: ['/inside', 'hold'],
    Labels: { ...partLabels(context, id), [labels.part]: 'network' },
    ...networkOf(plan),
    HostConfig: {
      ...sealed,
      ...holderLimits,
      ...hostsOf(plan),
      RestartPolicy: { Name: 'unless-stopped' },
      NetworkMode: names.network(id),
      PortBindings: bindings(context, shape),
    },
  }
}

/** All services listen in one place, and it has the names of all of them. */
function networkOf({ id, shape, address }: Plan): object {
  const ports = Object.values(shape.services).flatMap(service => service.ports)
  return {
    Hostname: id.slice(0, 63),
    ExposedPorts: Object.fromEntries(ports.map(({ port, protocol }) => [`${port}/${protocol}`, {}])),
    NetworkingConfig: {
      EndpointsConfig:
        address === undefined
          ? { [names.network(id)]: { Aliases: Object.keys(shape.services) } }
          : {
              [names.network(id)]: { IPAMConfig: { IPv4Address: address } },
              [shape.shared!.network]: { Aliases: [shape.shared!.name] },
            },
    },
  }
}

const hostsOf = ({ shape, address }: Plan): object =>
  address === undefined ? {} : { ExtraHosts: Object.keys(shape.services).map(name => `${name}:${address}`) }

function bindings({ settings }: Context, shape: Shape): object {
  const ports = Object.values(shape.services).flatMap(service => service.ports)
  return Object.fromEntries(
    ports.map(({ port, protocol }) => [`${port}/${protocol}`, [{ HostIp: settings.address, HostPort: '' }]]),
  )
}

const policies = { always: 'unless-stopped', onFailure: 'on-failure', never: 'no' } as const

/** An init that succeeded has done its work, whatever its policy says. */
const policyOf = ({ role, restart }: ServiceLaunch) =>
  role === 'init' && restart === 'always' ? policies.onFailure : policies[restart]

/** Docker keeps everything a container ever printed unless it is told not to, and its usual way spoils letters in long lines. */
const logConfig = { Type: 'local', Config: { 'max-size': '10m', 'max-file': '3' } }

export function serviceBody(context: Context, plan: Plan, name: string): object {
  const { id, shape, images } = plan
  const service = servicesOf(plan.spec)[name]!
  const { settings, kind } = context
  const image = images[name]!
  const env = { ...portEnvironment(shape), ...service.env }
  const isSecretive = shape.services[name]!.isSecretive
  const { entrypoint, command } = wordsOf(service, image, env)
  const alone = !isShared(shape)
  return {
    // By its content: another image that takes over the name changes nothing for what was launched.
    Image: image.Id,
    Entrypoint: isSecretive ? [insideProgram, 'run', environmentFile] : entrypoint,
    Cmd: isSecretive ? [] : command,
    Env: Object.entries(env).map(([key, value]) => `${key}=${value}`),
    Labels: { ...partLabels(context, id), [labels.part]: 'service', [labels.service]: name },
    ...(service.user !== undefined && { User: service.user }),
    ...(alone && networkOf(plan)),
    StopTimeout: Math.ceil(service.stopGraceSeconds),
    HostConfig: {
      ...sealed,
      ...limitsOf(service.resources),
      PidsLimit: settings.pidsLimit,
      ...(settings.capabilities.length > 0 && { CapAdd: [...settings.capabilities] }),
      ReadonlyRootfs: service.readOnlyRoot ?? false,
      RestartPolicy: { Name: policyOf(service) },
      NetworkMode: alone ? names.network(id) : `container:${names.holder(id)}`,
      ...(alone && { PortBindings: bindings(context, shape), ...hostsOf(plan) }),
      Mounts: mountsOf(plan, name, context),
      // Podman has its own, and bounds it by itself.
      ...(kind === 'docker' && { LogConfig: logConfig }),
    },
  }
}

/** What limits a container. Without swap: memory that is allowed is memory. */
export function limitsOf({ cpuMillis, memoryMiB }: ServiceLaunch['resources']): object {
  const bytes = memoryMiB === undefined ? 0 : memoryMiB * 2 ** 20
  return { Memory: bytes, MemorySwap: bytes, NanoCpus: (cpuMillis ?? 0) * 1e6 }
}

/** `PORT_…` of every service of the server. */
export const portEnvironment = (shape: Shape): Record<string, string> =>
  Object.fromEntries(
    Object.values(shape.services).flatMap(({ ports }) =>
      ports.map(({ name, port }) => [portVariable(name), String(port)]),
    ),
  )

/** As in Kubernetes: a command replaces the image's, with its arguments; arguments alone replace only those. */
function wordsOf(service: ServiceLaunch, image: Image, env: Readonly<Record<string, string>>) {
  const all = { ...imageEnvironment(image), ...env }
  const expanded = (words: readonly string[]) => words.map(word => expand(word, all))
  const { command, args } = service
  return {
    entrypoint: command ? expanded(command) : [...(image.Config?.Entrypoint ?? [])],
    command: args ? expanded(args) : command ? [] : [...(image.Config?.Cmd ?? [])],
  }
}

const imageEnvironment = (image: Image): Record<string, string> =>
  Object.fromEntries(
    (image.Config?.Env ?? []).map(entry => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  )

function mountsOf({ id, spec, filesAt }: Plan, name: string, { inside }: Context): object[] {
  const { volumes, files, secretEnv } = servicesOf(spec)[name]!
  const bound = (file: string, Target: string) => ({
    Type: 'bind',
    Source: `${filesAt}/${file}`,
    Target,
    ReadOnly: true,
  })
  return [
    { Type: 'volume', Source: inside.name, Target: insideDirectory, ReadOnly: true },
    ...volumes.map(volume => ({
      ...{ Type: 'volume', Source: volume.volume ?? names.volume(id, volume.name), ReadOnly: volume.readOnly },
      Target: insidePath(volume.path, 'a volume at'),
    })),
    ...(Object.keys(secretEnv).length > 0 ? [bound(`${name}/env`, environmentFile)] : []),
    ...files.map((file, index) => bound(`${name}/${index}`, insidePath(file.path, 'a file at'))),
  ]
}

export interface Ids {
  readonly uid: number
  readonly gid: number
}

/** Everything that a server has as files, and the spec itself, for whoever must go on with its launch. */
export function filesOf(
  spec: LaunchSpec,
  shape: Shape,
  images: Readonly<Record<string, Image>>,
  owners: Readonly<Record<string, Ids>>,
): TarFile[] {
  const own = Object.entries(servicesOf(spec)).flatMap(([name, service]) => {
    const owner = owners[name] ?? { uid: 0, gid: 0 }
    const image = images[name]
    const files = service.files.map((file, index) => ({
      ...{ path: `${name}/${index}`, content: file.content, mode: file.mode ?? (file.secret ? 0o400 : 0o444), owner },
    }))
    if (!shape.services[name]!.isSecretive || !image) return files
    const env = { ...portEnvironment(shape), ...service.env, ...service.secretEnv }
    const { entrypoint, command } = wordsOf(service, image, env)
    const secrets = Object.entries(service.secretEnv).map(([key, value]) => `${key}=${value}`)
    const words = [...secrets, '', ...entrypoint, ...command].map(word => `${word}\0`).join('')
    return [...files, { path: `${name}/env`, content: Buffer.from(words), mode: 0o400, owner }]
  })
  return [{ path: specFile, content: packSpec(spec), mode: 0o600 }, ...own]
}
