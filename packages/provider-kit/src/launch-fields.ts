import { isDeepStrictEqual } from 'node:util'
import type { LaunchSpec, MachineLaunch, ServiceLaunch, ServicesLaunch } from './launch-spec.ts'

/** The parts of a launched spec that can change on their own, each with its own effect. */
export type LaunchField =
  | 'name'
  | 'power'
  | 'tags'
  | 'flavor'
  | 'image'
  | 'disk'
  | 'network'
  | 'securityGroups'
  | 'publicIp'
  | 'sshKeys'
  | 'userData'
  | 'kind'
  | 'services'
  | 'process'
  | 'environment'
  | 'ports'
  | 'volumes'
  | 'resources'
  | 'healthChecks'
  | 'source'

const machineFields: Readonly<Record<keyof Omit<MachineLaunch, 'type'>, LaunchField>> = {
  flavor: 'flavor',
  image: 'image',
  diskGiB: 'disk',
  network: 'network',
  securityGroups: 'securityGroups',
  allowedSourceAddresses: 'securityGroups',
  publicIp: 'publicIp',
  sshKeys: 'sshKeys',
  userData: 'userData',
  volumes: 'volumes',
}

const serviceFields: Readonly<Record<keyof ServiceLaunch, LaunchField>> = {
  role: 'services',
  image: 'image',
  command: 'process',
  args: 'process',
  user: 'process',
  readOnlyRoot: 'process',
  restart: 'process',
  stopGraceSeconds: 'process',
  dependsOn: 'process',
  env: 'environment',
  secretEnv: 'environment',
  files: 'environment',
  ports: 'ports',
  volumes: 'volumes',
  resources: 'resources',
  healthChecks: 'healthChecks',
}

/** What differs between two specs. The plan of a change and the provider that makes it both ask this, so they agree. */
export function changedFields(from: LaunchSpec, to: LaunchSpec): ReadonlySet<LaunchField> {
  const changed = new Set<LaunchField>()
  for (const field of ['name', 'power', 'tags'] as const)
    if (!isDeepStrictEqual(from[field], to[field])) changed.add(field)
  if (from.source.type === 'machine' && to.source.type === 'machine')
    compare(from.source, to.source, machineFields, changed)
  else if (from.source.type === 'services' && to.source.type === 'services')
    compareServices(from.source, to.source, changed)
  else if (!isDeepStrictEqual(from.source, to.source)) changed.add('source')
  return changed
}

function compare<T extends object>(
  from: T,
  to: T,
  table: Readonly<Partial<Record<keyof T, LaunchField>>>,
  changed: Set<LaunchField>,
): void {
  for (const key of Object.keys(table) as (keyof T)[])
    if (!isDeepStrictEqual(from[key], to[key])) changed.add(table[key]!)
}

function compareServices(from: ServicesLaunch, to: ServicesLaunch, changed: Set<LaunchField>): void {
  if (from.kind !== to.kind) changed.add('kind')
  if (from.network !== to.network) changed.add('network')
  for (const name of new Set([...Object.keys(from.services), ...Object.keys(to.services)])) {
    const [before, after] = [from.services[name], to.services[name]]
    if (before && after) compare(before, after, serviceFields, changed)
    else changed.add('services')
  }
}
