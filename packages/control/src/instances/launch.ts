import {
  type HealthCheck,
  type KeptAddresses,
  type LaunchSource,
  type LaunchSpec,
  labelTags,
  type Owner,
  ownTags,
  type PullSecret,
  type ServiceFile,
  type ServiceLaunch,
  serverTags,
  type Tags,
} from '@stead/provider-kit'
import type { Instance } from './model.ts'
import type { MachineSource } from './source/machine.ts'
import {
  type HealthCheckSpec,
  portVariable,
  roleOf,
  type SecretUse,
  type ServiceSpec,
  type ServicesSource,
} from './source/services.ts'
import type { OpenSecret, ReadSecret } from './values/open-secrets.ts'
import { type RenderedService, type RenderedServices, renderServices } from './values/render-services.ts'

/** What an instance refers to, in the words of its region's backend. */
export interface Resolved {
  /** As the instance says unless said. */
  readonly flavor?: string
  readonly image?: string
  /** Own images of services, by id. */
  readonly images?: ReadonlyMap<string, string>
  readonly network?: string
  readonly securityGroups?: readonly string[]
  /** Where it keeps its addresses, and has some already. */
  readonly keepAddresses?: KeptAddresses
  /** With what the system inside is to be told at its first boot. */
  readonly userData?: Uint8Array
  /** Where it uses secrets. */
  readonly readSecret?: ReadSecret
  /** With every text rendered. */
  readonly services?: RenderedServices
}

export interface Rendering {
  readonly instance: Pick<Instance, 'id' | 'projectId' | 'name' | 'labels' | 'spec'>
  readonly serverId: string
  readonly owner: Owner
  readonly power: 'on' | 'off'
  readonly resolved: Resolved
}

/** Everything a provider needs to realise an instance on a server. Nothing in it refers back to the store. */
export function renderLaunch({ instance, serverId, owner, power, resolved }: Rendering): LaunchSpec {
  const { machine, services } = instance.spec.source
  return {
    name: instance.name!,
    source: machine
      ? machineLaunch(machine, { keepAddresses: { of: instance.id }, ...resolved })
      : servicesLaunch(resolved.services ?? plain(services!), resolved),
    power,
    tags: tagsOf(instance, owner, serverId),
  }
}

/** All that is written on the backend object of a server. */
export const tagsOf = (
  { id, projectId, labels }: Pick<Instance, 'id' | 'projectId' | 'labels'>,
  owner: Owner,
  serverId: string,
): Tags => ({
  ...labelTags(labels),
  ...serverTags(owner, serverId),
  [ownTags.instanceId]: id,
  [ownTags.projectId]: projectId!,
})

function machineLaunch(machine: MachineSource, resolved: Resolved): LaunchSource {
  const { publicIp, allowedSourceAddresses, sshKeys, diskGiB } = machine
  const { flavor = machine.flavor, image = machine.image, network, securityGroups, keepAddresses, userData } = resolved
  return {
    type: 'machine',
    flavor,
    image,
    ...(diskGiB !== undefined && { diskGiB }),
    ...(network !== undefined && { network }),
    ...(securityGroups && { securityGroups }),
    ...(publicIp !== undefined && { publicIp }),
    ...(machine.keepAddresses && keepAddresses && { keepAddresses }),
    ...(allowedSourceAddresses && { allowedSourceAddresses }),
    ...(sshKeys && { sshKeys }),
    ...(userData && { userData }),
  }
}

/** Services in which nothing stands for something else. */
const plain = (source: ServicesSource): RenderedServices =>
  renderServices(source, () => ({ problem: 'is not known' })).source

function servicesLaunch({ kind = 'deployment', services }: RenderedServices, resolved: Resolved): LaunchSource {
  const { network, images } = resolved
  const rendered = Object.entries(services).map(([name, service]) => {
    const image = images?.get(service.image) ?? service.image
    return [name, serviceLaunch({ ...service, image }, resolved)] as const
  })
  return {
    type: 'services',
    kind,
    services: Object.fromEntries(rendered),
    ...(network !== undefined && { network }),
  }
}

function serviceLaunch(service: RenderedService, resolved: Resolved): ServiceLaunch {
  const { image, command, args, env = {}, ports = [], volumes = [], resources = {}, user, pullSecret } = service
  const { healthChecks = [], dependsOn = [], restart = 'always', stopGraceSeconds = 10, readOnlyRoot } = service
  const known = ports.flatMap(({ name, port }) => (port === undefined ? [] : [[portVariable(name), String(port)]]))
  return {
    role: roleOf(service),
    image,
    ...(command && { command }),
    ...(args && { args }),
    // A port that is left to the provider is told by it in the same way.
    env: { ...env, ...Object.fromEntries(known) },
    secretEnv: { ...service.secretEnv, ...secretEnvironment(service, resolved) },
    files: [...plainFiles(service), ...secretFiles(service, resolved)],
    ...(pullSecret !== undefined && { pullSecret: pullWith(resolved.readSecret!({ id: pullSecret })) }),
    ports: ports.map(port => ({ ...port, protocol: port.protocol ?? 'tcp' })),
    volumes: volumes.map(({ name, path, readOnly = false }) => ({ name, path, readOnly })),
    resources,
    healthChecks: healthChecks.map(healthCheck),
    dependsOn,
    restart,
    stopGraceSeconds,
    ...(user !== undefined && { user }),
    ...(readOnlyRoot !== undefined && { readOnlyRoot }),
  }
}

const pullWith = ({ registry, content }: OpenSecret): PullSecret => ({ ...registry!, password: textOf(content) })

const textOf = (content: Uint8Array): string => Buffer.from(content).toString()
const modeOf = (mode: string | undefined) => (mode === undefined ? {} : { mode: Number.parseInt(mode, 8) })
const useOf = ({ name: id, version }: SecretUse) => ({ id, ...(version !== undefined && { version }) })

const secretEnvironment = ({ secrets = [] }: ServiceSpec, { readSecret }: Resolved): Record<string, string> =>
  Object.fromEntries(
    secrets.flatMap(use => (use.env === undefined ? [] : [[use.env, textOf(readSecret!(useOf(use)).content)]])),
  )

const plainFiles = ({ files = {} }: ServiceSpec): readonly ServiceFile[] =>
  Object.entries(files).map(([path, { content, contentBase64, mode, secret = false }]) => ({
    path,
    content: new Uint8Array(content === undefined ? Buffer.from(contentBase64!, 'base64') : Buffer.from(content)),
    secret,
    ...modeOf(mode),
  }))

const secretFiles = ({ secrets = [] }: ServiceSpec, { readSecret }: Resolved): readonly ServiceFile[] =>
  secrets.flatMap(use => {
    const { file: path, mode, onRotate = 'none' } = use
    if (path === undefined) return []
    const signal = onRotate.startsWith('SIG') ? { signal: onRotate } : {}
    return [{ path, content: readSecret!(useOf(use)).content, secret: true, ...modeOf(mode), ...signal }]
  })

function healthCheck(check: HealthCheckSpec): HealthCheck {
  const { intervalSeconds = 10, timeoutSeconds = 5, healthyThreshold = 1, unhealthyThreshold = 3 } = check
  const times = { intervalSeconds, timeoutSeconds, healthyThreshold, unhealthyThreshold }
  const { port = '', path = '/', service, command = [] } = check
  switch (check.type) {
    case 'http':
      return { ...times, type: 'http', port, path }
    case 'tcp':
      return { ...times, type: 'tcp', port }
    case 'grpc':
      return { ...times, type: 'grpc', port, ...(service !== undefined && { service }) }
    case 'command':
      return { ...times, type: 'command', command }
  }
}
