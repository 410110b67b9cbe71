import { isDeepStrictEqual } from 'node:util'
import type { LaunchSpec, MachineLaunch, ServiceFile, ServiceLaunch, ServicesLaunch } from './launch-spec.ts'

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
  /** Whether its addresses stay its own. */
  | 'addresses'
  | 'sshKeys'
  | 'userData'
  | 'kind'
  | 'services'
  | 'process'
  | 'environment'
  /** The contents of files whose change is told by a signal. */
  | 'files'
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
  keepAddresses: 'addresses',
  sshKeys: 'sshKeys',
  userData: 'userData',
  volumes: 'volumes',
}

/** Without what an image is pulled with, because what runs has its image; and files, which are told apart. */
const serviceFields: Readonly<Record<keyof Omit<ServiceLaunch, 'pullSecret' | 'files'>, LaunchField>> = {
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
    if (before && after) {
      compare(before, after, serviceFields, changed)
      compareFiles(before.files, after.files, changed)
    } else changed.add('services')
  }
}

function compareFiles(from: readonly ServiceFile[], to: readonly ServiceFile[], changed: Set<LaunchField>): void {
  if (isDeepStrictEqual(from, to)) return
  const rest = (files: readonly ServiceFile[]) =>
    files.map(file => (file.signal === undefined ? file : { ...file, content: undefined }))
  changed.add(isDeepStrictEqual(rest(from), rest(to)) ? 'files' : 'environment')
}

/** The signals by which services are told that files of theirs have changed. */
export function signalsOf(from: LaunchSpec, to: LaunchSpec): readonly { service: string; signal: string }[] {
  if (from.source.type !== 'services' || to.source.type !== 'services') return []
  const before = from.source.services
  return Object.entries(to.source.services).flatMap(([service, { files }]) => {
    const changed = files.filter(file => {
      const old = before[service]?.files.find(({ path }) => path === file.path)
      return old !== undefined && !isDeepStrictEqual(old.content, file.content)
    })
    const signals = new Set(changed.flatMap(({ signal }) => (signal === undefined ? [] : [signal])))
    return [...signals].map(signal => ({ service, signal }))
  })
}

/** What a rebuild has brought: all of it but tags and addresses, which are as they were. */
export function rebuilt(from: LaunchSpec, to: LaunchSpec): LaunchSpec {
  if (from.source.type !== 'machine' || to.source.type !== 'machine') return { ...to, tags: from.tags }
  const { keepAddresses: _, ...source } = to.source
  const { keepAddresses } = from.source
  return { ...to, tags: from.tags, source: { ...source, ...(keepAddresses && { keepAddresses }) } }
}
