import {
  type HealthCheck,
  type LaunchSource,
  type LaunchSpec,
  labelTags,
  type Owner,
  type ServiceLaunch,
  serverTags,
} from '@stead/provider-kit'
import type { Instance } from './model.ts'
import type { MachineSource } from './source/machine.ts'
import { type HealthCheckSpec, roleOf, type ServiceSpec, type ServicesSource } from './source/services.ts'
import { portVariable } from './source/validate-services.ts'

/** What an instance refers to, in the words of its region's backend. */
export interface Resolved {
  /** As the instance says unless said. */
  readonly flavor?: string
  readonly image?: string
  readonly network?: string
  readonly securityGroups?: readonly string[]
  /** With what the system inside is to be told at its first boot. */
  readonly userData?: Uint8Array
}

export interface Rendering {
  readonly instance: Pick<Instance, 'name' | 'labels' | 'spec'>
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
    source: machine ? machineLaunch(machine, resolved) : servicesLaunch(services!, resolved),
    power,
    tags: { ...labelTags(instance.labels), ...serverTags(owner, serverId) },
  }
}

function machineLaunch(machine: MachineSource, resolved: Resolved): LaunchSource {
  const { publicIp, allowedSourceAddresses, sshKeys, diskGiB } = machine
  const { flavor = machine.flavor, image = machine.image, network, securityGroups, userData } = resolved
  return {
    type: 'machine',
    flavor,
    image,
    ...(diskGiB !== undefined && { diskGiB }),
    ...(network !== undefined && { network }),
    ...(securityGroups && { securityGroups }),
    ...(publicIp !== undefined && { publicIp }),
    ...(allowedSourceAddresses && { allowedSourceAddresses }),
    ...(sshKeys && { sshKeys }),
    ...(userData && { userData }),
  }
}

function servicesLaunch({ kind = 'deployment', services }: ServicesSource, { network }: Resolved): LaunchSource {
  const rendered = Object.entries(services).map(([name, service]) => [name, serviceLaunch(service)] as const)
  return {
    type: 'services',
    kind,
    services: Object.fromEntries(rendered),
    ...(network !== undefined && { network }),
  }
}

function serviceLaunch(service: ServiceSpec): ServiceLaunch {
  const { image, command, args, env = {}, files = {}, ports = [], volumes = [], resources = {}, user } = service
  const { healthChecks = [], dependsOn = [], restart = 'always', stopGraceSeconds = 10, readOnlyRoot } = service
  const known = ports.flatMap(({ name, port }) => (port === undefined ? [] : [[portVariable(name), String(port)]]))
  return {
    role: roleOf(service),
    image,
    ...(command && { command }),
    ...(args && { args }),
    // A port that is left to the provider is told by it in the same way.
    env: { ...env, ...Object.fromEntries(known) },
    secretEnv: {},
    files: Object.entries(files).map(([path, { content, contentBase64 }]) => ({
      path,
      content: new Uint8Array(content === undefined ? Buffer.from(contentBase64!, 'base64') : Buffer.from(content)),
      secret: false,
    })),
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
