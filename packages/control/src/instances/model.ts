import type { BaseStatus, Index, Kind, StoredObject } from '@stead/engine'
import { type Instant, isoTime } from '@stead/world'
import type { Static } from 'typebox'
import { isImageId } from '../images/model.ts'
import type { Amounts } from '../quotas/kinds.ts'
import { Condition, Time } from '../resource/model.ts'
import { resource } from '../resource/resource.ts'
import { Type } from '../schema/type.ts'
import { MachineSource } from './source/machine.ts'
import { ServicesSource } from './source/services.ts'
import { type Phase, phases } from './transitions.ts'
import type { Surroundings } from './values/surroundings.ts'
import { usedSecrets } from './values/used-secrets.ts'
import { variableFields } from './values/variables.ts'

const Span = (description: string) =>
  Type.String({ pattern: '^([0-9]{1,9}(ms|s|m|h|d))+$', maxLength: 64, description, examples: ['2h'] })

export const Source = Type.Object(
  { machine: Type.Optional(MachineSource), services: Type.Optional(ServicesSource) },
  { description: 'What it is made of: exactly one of these.' },
)

/** What a tenant asks for. */
export const InstanceSpec = Type.Object({
  region: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Where it runs, by id or name. Unless said it follows from the network, or is the default.',
    }),
  ),
  source: Source,
  ...variableFields,
  power: Type.Optional(Type.Enum(['on', 'off'], { default: 'on', description: 'What is wanted, not a command.' })),
  onServerLoss: Type.Optional(
    Type.Enum(['fail', 'recreate'], {
      default: 'fail',
      description: 'When what it ran on, or its disk, is gone. `recreate` makes a new one, whose disk is blank.',
    }),
  ),
  onCrash: Type.Optional(
    Type.Enum(['restart', 'stop'], { default: 'restart', description: 'When it died and is still there.' }),
  ),
  drift: Type.Optional(
    Type.Enum(['report', 'repair'], {
      default: 'report',
      description: 'When its power was changed behind our back. What would destroy something is only ever reported.',
    }),
  ),
  ttl: Type.Optional(Span('It is deleted by itself this long after it was created.')),
  idleStop: Type.Optional(
    Span(
      'It is stopped by itself so long after it was last started or used, to the minute: by a command that was run inside, or at its console.',
    ),
  ),
  deletionProtection: Type.Optional(Type.Boolean({ default: false })),
  paused: Type.Optional(
    Type.Boolean({ default: false, description: 'It is only looked at, and nothing is done. Deletion ignores it.' }),
  ),
})

/** As it is written. */
export type WrittenSpec = Static<typeof InstanceSpec>
type WrittenSource = WrittenSpec['source']

/** As it is kept: with its region, references by id, and no user data in the open. */
export type InstanceSpec = Omit<WrittenSpec, 'source' | 'region'> & {
  readonly region: string
  readonly source: Omit<WrittenSource, 'machine'> & { readonly machine?: MachineSource }
}

export const Health = Type.Enum(['healthy', 'degraded', 'unhealthy', 'unknown'])
export type Health = Static<typeof Health>

const Suspension = Type.Object({ since: Time, reason: Type.String(), by: Type.Optional(Type.String()) })

/** What callers see of how it is. */
const ShownStatus = Type.Object({
  phase: Type.Enum([...phases]),
  phaseSince: Time,
  ready: Type.Boolean(),
  observedGeneration: Type.Integer({ minimum: 0 }),
  suspended: Type.Union([Suspension, Type.Null()]),
  power: Type.Enum(['on', 'off', 'unknown']),
  health: Health,
  addresses: Type.Object({
    private: Type.Array(Type.String()),
    public: Type.Array(Type.String()),
    mac: Type.Optional(Type.String()),
  }),
  endpoints: Type.Array(
    Type.Object({
      service: Type.Optional(Type.String()),
      name: Type.String(),
      protocol: Type.String(),
      host: Type.String(),
      port: Type.Integer(),
      url: Type.Optional(Type.String()),
      public: Type.Boolean(),
    }),
  ),
  services: Type.Record(
    Type.String(),
    Type.Object({
      state: Type.String(),
      ready: Type.Boolean(),
      restarts: Type.Integer(),
      exitCode: Type.Optional(Type.Integer()),
      reason: Type.Optional(Type.String()),
    }),
  ),
  release: Type.Union([Type.String(), Type.Null()]),
  replica: Type.Union([Type.Integer(), Type.Null()]),
  operation: Type.Union([
    Type.Object({ id: Type.String(), type: Type.String(), step: Type.Optional(Type.String()), startedAt: Time }),
    Type.Null(),
  ]),
  conditions: Type.Array(Condition),
})

/** The effects that a change can have, from the mildest to the strongest. */
export const effects = ['inPlace', 'restart', 'rebuild', 'replace'] as const
export type Effect = (typeof effects)[number]

/** What was agreed to, and is not true yet. */
export interface AgreedChange {
  /** The generation it was agreed for; one that differs in nothing that is launched takes it over. */
  readonly generation: number
  readonly effect: Effect
  /** What it will be charged once it is so. */
  readonly amounts: Amounts
  /** Of one that destroys something, what was wanted before: that runs until then. */
  readonly before?: InstanceSpec
  /** Tried, and given up: it is not tried again until somebody asks. */
  readonly failed?: boolean
}

/** A replacement that is under way, written before anything is done for it. */
export interface Replacement {
  readonly generation: number
  /** `overlap`: the old one serves until the new one can. `handover`: the old one is stopped first, and kept. */
  readonly way: 'overlap' | 'handover'
  readonly since: Instant
  /** Those that go from the old one to the new one, and back if it is given up. Absent: each has its own. */
  readonly addresses?: KeptAddresses
  /** Why it was given up; the old one is started again when the new one, which may have its addresses, is gone. */
  readonly givenUp?: string
}

/** Addresses that stay an instance's own, whatever it runs on. */
export interface KeptAddresses {
  readonly private: readonly string[]
  readonly public: readonly string[]
}

/** Instants in place of times, and what only the controller needs to know. */
export interface InstanceStatus extends BaseStatus {
  readonly phase: Phase
  readonly phaseSince: Instant
  readonly ready: boolean
  readonly observedGeneration: number
  readonly suspended: { readonly since: Instant; readonly reason: string; readonly by?: string } | null
  readonly power: 'on' | 'off' | 'unknown'
  readonly health: Health
  readonly addresses: Static<typeof ShownStatus>['addresses']
  readonly endpoints: Static<typeof ShownStatus>['endpoints']
  readonly services: Static<typeof ShownStatus>['services']
  readonly operation: {
    readonly id: string
    readonly type: string
    readonly step?: string
    readonly startedAt: Instant
  } | null
  /** The servers in its slots, by id. They hold the keys of these slots. */
  readonly slots: { readonly active?: string; readonly next?: string }
  /** The server that is charged besides the active one, until only one of them is left. */
  readonly charged?: string
  /** What it is charged once it is as is wanted: until then not less than it was. */
  readonly due?: Amounts
  readonly change?: AgreedChange
  readonly replacement?: Replacement
  /** The addresses that it must keep, once it has some: whatever it is launched on next is to have them. */
  readonly kept?: KeptAddresses
  /** The id of who asked for the end of what it ends with. */
  readonly deletedBy?: string
  /** A restart that was asked for and not passed on yet. */
  readonly restart?: { readonly hard: boolean; readonly service?: string }
  /** Somebody asked to try again what failed for good. */
  readonly retry?: boolean
  /** What was around it when something in it first referred to that. */
  readonly surroundings?: Surroundings
  /** What its machine was launched with, in the backend's words: whether that drifts can be seen. `name` is the flavor's here. */
  readonly offering?: { readonly name: string; readonly flavor: string; readonly image: string }
  /** The server that was seen up: from then on it starts, and is no longer provisioned. */
  readonly seenUp?: string
  readonly runningSince?: Instant
  /** How often it died without having run well in between, and which death was counted last. */
  readonly crashes?: { readonly count: number; readonly at: Instant; readonly death: string }
  /** How much of its health was told of late, and what last; hushed while it changes too often. */
  readonly healthTold?: {
    readonly since: Instant
    readonly count: number
    readonly last: Health
    readonly isHushed?: boolean
  }
}

export type Instance = StoredObject<InstanceSpec, InstanceStatus>

/** What an instance is before anything was done for it. */
export const firstStatus = (now: Instant): InstanceStatus => ({
  phase: 'pending',
  phaseSince: now,
  ready: false,
  observedGeneration: 0,
  suspended: null,
  power: 'unknown',
  health: 'unknown',
  addresses: { private: [], public: [] },
  endpoints: [],
  services: {},
  operation: null,
  slots: {},
  conditions: [],
})

export const Instance = resource<typeof InstanceSpec, typeof ShownStatus, InstanceStatus>(
  'instance',
  'inst',
  InstanceSpec,
  ShownStatus,
  {
    immutable: [
      '/spec/region',
      '/spec/source/machine/network',
      '/spec/source/services/network',
      '/spec/source/services/kind',
    ],
    show: ({ spec, status }) => ({ spec, status: shownStatus(status) }),
  },
)

function shownStatus({ phaseSince, suspended, operation, conditions = [], ...status }: InstanceStatus) {
  return {
    ...status,
    phaseSince: isoTime(phaseSince),
    suspended: suspended && { ...suspended, since: isoTime(suspended.since) },
    operation: operation && { ...operation, startedAt: isoTime(operation.startedAt) },
    release: null,
    replica: null,
    conditions,
  }
}

export const instances = Instance.kind as unknown as Kind<Instance>

/** So that counting them for whoever looks at the metrics takes as long with 100,000 as with one. */
export const instancesByPhase: Index<Instance> = {
  name: 'phase',
  kind: instances,
  keys: ({ spec, status }) => [phaseKey(spec.region, status.phase)],
}

export const phaseKey = (region: string, phase: InstanceStatus['phase']): string => `${region} ${phase}`

export const instancesByRegion: Index<Instance> = { name: 'region', kind: instances, keys: ({ spec }) => [spec.region] }

/** By region, those that are not what they were brought to be, or are gone: as their conditions say. */
export const differingInstances: Index<Instance> = {
  name: 'differing',
  kind: instances,
  keys: ({ spec, status: { conditions = [] } }) =>
    conditions.some(({ type, reason }) => type === 'Drift' || reason === 'ServerLost') ? [spec.region] : [],
}

/** The network of the project that an instance is on, if any. */
export const networkOf = ({ source: { machine, services } }: Networked): string | undefined =>
  machine ? machine.network : services?.network

interface Networked {
  readonly source: {
    readonly machine?: { readonly network?: string }
    readonly services?: { readonly network?: string }
  }
}

/** What an instance is attached to, by id. */
export function attachedTo({ spec }: Pick<Instance, 'spec'>): Attachments {
  if (spec !== last?.spec) last = { spec, attachments: attachmentsOf(spec) }
  return last.attachments
}

type Attachments = ReturnType<typeof attachmentsOf>

/** Whatever an instance may be attached to asks when it changes, one after the other; and its spec seldom changes. */
let last: { readonly spec: InstanceSpec; readonly attachments: Attachments } | undefined

function attachmentsOf(spec: InstanceSpec) {
  const { machine, services } = spec.source
  const { securityGroups = [], sshAuthority, image } = machine ?? {}
  const network = networkOf(spec)
  const ofServices = Object.values(services?.services ?? {}).map(service => service.image)
  return {
    networks: network === undefined ? [] : [network],
    securityGroups,
    sshAuthorities: sshAuthority === undefined ? [] : [sshAuthority],
    images: image === undefined ? ofServices.filter(isImageId) : [image],
    secrets: [...new Set(usedSecrets(spec).map(({ id }) => id))],
  }
}

export const instancesByUse: Index<Instance> = {
  name: 'use',
  kind: instances,
  keys: instance => Object.values(attachedTo(instance)).flat(),
}

export const instanceNamePrefix = 'instance-name/'

/** One name, one instance on a network, or in a project where there is no network. */
export const instanceName = ({ projectId, spec, name }: Pick<Instance, 'projectId' | 'spec' | 'name'>): string =>
  `${instanceNamePrefix}${networkOf(spec) ?? projectId}/${name}`

/** The policies of a spec, with what they are where nothing is said. */
export const policiesOf = ({ spec }: Pick<Instance, 'spec'>) => ({
  power: spec.power ?? 'on',
  onServerLoss: spec.onServerLoss ?? 'fail',
  onCrash: spec.onCrash ?? 'restart',
  drift: spec.drift ?? 'report',
  isPaused: spec.paused ?? false,
  isProtected: spec.deletionProtection ?? false,
})
