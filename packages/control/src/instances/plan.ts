import type { Capabilities, LaunchField } from '@stead/provider-kit'
import type { FieldChange } from '../resource/merge-patch.ts'
import { type Effect, effects } from './model.ts'

/** What is lost by a change. */
export type Loss = 'disk' | 'addresses' | 'localState'

export interface PlannedChange extends FieldChange {
  readonly effect: Effect
}

/** What a change would do, told before it is done. */
export interface Plan {
  readonly effect: Effect
  readonly changes: readonly PlannedChange[]
  readonly loses: readonly Loss[]
  /** What would be lost otherwise. */
  readonly keeps: readonly Loss[]
  /** Whether it does not serve for a while, though it does now. */
  readonly interrupts: boolean
}

/** All that the effect of a change depends on besides the fields. */
export interface PlanState {
  /** What the region can do. */
  readonly capabilities: Capabilities
  readonly source: 'machine' | 'services'
  /** `none`: nothing was made yet, so nothing is lost. */
  readonly server: 'none' | 'on' | 'off'
  /** Its addresses are its own now, and are to be afterwards. */
  readonly keepsAddresses?: boolean
  /** What other values of variables change of what is launched. */
  readonly rendered?: ReadonlySet<LaunchField>
  /** What was agreed to before and is not true yet: it happens with this change. */
  readonly pending?: Effect
  /** All in which what is wanted will differ from what runs, where that is not what was wanted before. */
  readonly apart?: readonly FieldChange[]
}

export const strongest = (...found: readonly Effect[]): Effect =>
  found.reduce((a, b) => (effects.indexOf(a) >= effects.indexOf(b) ? a : b), 'inPlace')

/** Whether what was agreed to covers what would happen. */
export const covers = (agreed: Effect, effect: Effect): boolean => effects.indexOf(agreed) >= effects.indexOf(effect)

/** The effect of changing one field of what was launched. */
export function effectOf(field: LaunchField, { capabilities, source, server }: PlanState): Effect {
  if (server === 'none') return 'inPlace'
  const effect = effectByField(field, capabilities, source)
  // What does not run loses nothing by a restart.
  return effect === 'restart' && server === 'off' ? 'inPlace' : effect
}

function effectByField(field: LaunchField, { groups }: Capabilities, source: PlanState['source']): Effect {
  const updated = groups.update?.fields[field]
  if (updated) return updated
  // Power is made true by itself, and tags that cannot be changed there are not worth a server.
  if (field === 'power' || field === 'tags') return 'inPlace'
  if (source === 'machine' && (field === 'flavor' || field === 'disk') && groups.resize)
    return groups.resize.while === 'running' ? 'inPlace' : 'restart'
  if (source === 'machine' && field === 'image' && groups.rebuild) return 'rebuild'
  return 'replace'
}

/** The effect of changing several at once is that of the one that costs most. */
export const effectOfAll = (fields: Iterable<LaunchField>, state: PlanState): Effect =>
  strongest(...[...fields].map(field => effectOf(field, state)))

/** What becomes of these changes. */
export function plan(changes: readonly FieldChange[], state: PlanState): Plan {
  const { apart = changes } = state
  // What is wanted as it runs costs nothing.
  const differs = ({ path }: FieldChange) => apart.some(each => each.path === path)
  const effectBy = (change: FieldChange) => (differs(change) ? effectOfChange(change, state) : 'inPlace')
  const planned = changes.map(change => ({ ...change, effect: effectBy(change) }))
  const pending = state.server === 'none' ? 'inPlace' : (state.pending ?? 'inPlace')
  const effect = strongest(pending, ...apart.map(change => effectOfChange(change, state)))
  const keeps: readonly Loss[] = state.keepsAddresses && effect !== 'inPlace' ? ['addresses'] : []
  const loses = losses(effect).filter(loss => !keeps.includes(loss))
  return { effect, changes: planned, loses, keeps, interrupts: interrupts(effect, state) }
}

/** Services are replaced while they serve; a machine is stopped first, so that there are never two of it. */
const interrupts = (effect: Effect, { server, source }: PlanState): boolean =>
  server === 'on' && effect !== 'inPlace' && (effect !== 'replace' || source === 'machine')

function effectOfChange(change: FieldChange, state: PlanState): Effect {
  const isValue = change.path.startsWith('/spec/variable')
  const fields = isValue ? [...(state.rendered ?? [])] : launchFieldsOf(change.path)
  const isDisk = fields.includes('disk')
  const shrinks = isDisk && typeof change.from === 'number' && !(Number(change.to) >= change.from)
  return shrinks && state.server !== 'none' ? 'replace' : effectOfAll(fields, state)
}

function losses(effect: Effect): readonly Loss[] {
  if (effect === 'inPlace') return []
  if (effect === 'restart') return ['localState']
  return effect === 'rebuild' ? ['disk', 'localState'] : ['disk', 'addresses', 'localState']
}

/** Which parts of what is launched a field of the instance becomes; policies become none. */
export function launchFieldsOf(path: string): readonly LaunchField[] {
  const [, root, part, ...rest] = path.split('/')
  if (root === 'labels') return ['tags']
  if (root !== 'spec') return []
  if (part === 'power') return ['power']
  return part === 'source' ? fieldsOfSource(rest) : []
}

function fieldsOfSource([type, name, , field]: readonly (string | undefined)[]): readonly LaunchField[] {
  if (type === 'machine' && name !== undefined) return [machineFields[name] ?? 'source']
  if (type !== 'services') return ['source']
  if (name !== 'services') return [name === 'kind' || name === 'network' ? name : 'source']
  if (field === undefined) return ['services']
  // What runs has its image.
  if (field === 'pullSecret') return []
  // A port is told in the environment too.
  return field === 'ports' ? ['ports', 'environment'] : [serviceFields[field] ?? 'source']
}

const machineFields: Readonly<Record<string, LaunchField>> = {
  flavor: 'flavor',
  image: 'image',
  diskGiB: 'disk',
  network: 'network',
  securityGroups: 'securityGroups',
  allowedSourceAddresses: 'securityGroups',
  publicIp: 'publicIp',
  keepAddresses: 'addresses',
  sshKeys: 'sshKeys',
  sshAuthority: 'userData',
  userData: 'userData',
}

const serviceFields: Readonly<Record<string, LaunchField>> = {
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
  files: 'environment',
  secrets: 'environment',
  volumes: 'volumes',
  resources: 'resources',
  healthChecks: 'healthChecks',
}
