import type { Duration } from '@stead/world'
import type { LaunchField } from './launch-fields.ts'
import type { LaunchSource } from './launch-spec.ts'

/**
 * How a create happens once.
 * `token`: the backend does it. `name`: names are unique there, and ours is made of the token. `search`: what carries the
 * token as a tag is looked for first; `settle` is how long an unanswered create may still bring its object to light.
 */
export type Idempotency =
  | { readonly mode: 'token' }
  | { readonly mode: 'name' }
  | { readonly mode: 'search'; readonly settle: Duration }

export type IdempotencyMode = Idempotency['mode']

export interface Creating {
  readonly idempotency: Idempotency
}

/** Nothing more to say than that it is there. */
export type Plain = Readonly<Record<string, never>>

/** The optional groups. One that is named here has its member on the provider, and works. */
export interface Groups {
  /** `soft`: it can ask the system inside to restart, too. */
  readonly reboot?: { readonly soft: boolean }
  /** In which power state the backend takes a new size. */
  readonly resize?: { readonly while: 'running' | 'stopped' }
  readonly rebuild?: Creating
  /** Which fields of a launched spec it can change, and at what price. What is not here cannot be updated. */
  readonly update?: { readonly fields: Readonly<Partial<Record<LaunchField, 'inPlace' | 'restart'>>> }
  readonly adopt?: Plain
  readonly snapshot?: Creating
  readonly images?: Creating
  readonly networks?: Creating
  readonly securityGroups?: Creating
  readonly volumes?: Creating
  readonly console?: Plain
  readonly exec?: { readonly tty: boolean; readonly signals: boolean }
  readonly logs?: Plain
  readonly metrics?: Plain
  readonly watch?: Plain
  /** Machines can have addresses that stay their own (`KeptAddresses`). It has no member: `launch` and `start` do it. */
  readonly addresses?: Plain
}

/** Those with a member of the same name on the provider. */
export const memberGroups = [
  'reboot',
  'resize',
  'rebuild',
  'update',
  'adopt',
  'snapshot',
  'images',
  'networks',
  'securityGroups',
  'volumes',
  'console',
  'exec',
  'logs',
  'metrics',
  'watch',
] as const satisfies readonly (keyof Groups)[]

export const groupNames = [...memberGroups, 'addresses'] as const satisfies readonly (keyof Groups)[]

export type GroupName = (typeof groupNames)[number]

/** What a connected provider can do. It does not change while it is connected. */
export interface Capabilities {
  /** The sources `launch` takes. */
  readonly sources: readonly LaunchSource['type'][]
  readonly launch: Creating
  /**
   * How old a picture the backend may answer. Within this time a new server may be missing, and an old state be shown;
   * whoever decides that something is gone has to wait it out.
   */
  readonly consistency: { readonly describe: Duration; readonly list: Duration }
  readonly groups: Groups
  /** What a reader of the region should know, in plain words: how well it isolates, what it does not enforce. */
  readonly notes?: readonly string[]
}
