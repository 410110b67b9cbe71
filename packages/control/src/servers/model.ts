import { type BaseStatus, type Index, kindOf, type StoredObject } from '@stead/engine'
import type { LaunchSource, ProviderErrorCode, ServerInfo } from '@stead/provider-kit'
import type { Instant } from '@stead/world'
import type { SealedContent } from '../sealed/model.ts'

/** An instance has at most one server in each: what it is, and what it is about to become. */
export type Slot = 'active' | 'next'

export const slotKeyPrefix = 'server-slot/'

/** Held by the one server in a slot of an instance: a second one cannot be committed. */
export const slotKey = (instanceId: string, slot: Slot): string => `${slotKeyPrefix}${instanceId}/${slot}`

export const backendKeyPrefix = 'server-backend/'

/** Held by the server that was adopted with this backend object: nobody else can adopt it meanwhile. */
export const backendKey = (region: string, backendId: string): string => `${backendKeyPrefix}${region}/${backendId}`

/**
 * One attempt to realise an instance in a region: what should be there. Written by the instance's controller, made true by
 * the server's. Its owner is the instance; its deletion mark means that the backend object has to go.
 */
export interface ServerSpec {
  /** The region's id. */
  readonly region: string
  /** The generation of the instance's spec that it realises. */
  readonly generation: number
  readonly source: LaunchSource['type']
  /**
   * The `LaunchSpec`, rendered and resolved to the backend's words, with every secret in it: sealed as a whole beside the
   * server, so that none can be read from an object, and a second launch is the same as the first. The power in it does
   * not count: that is `power`.
   */
  readonly launch: SealedContent
  /** By the id of a secret, the version of it that is in there; of those whose newest version was meant. */
  readonly secrets?: Readonly<Record<string, number>>
  readonly power: 'on' | 'off'
  /** Its addresses are not its own alone: they go to its successor, as what is launched says. */
  readonly keepsAddresses?: true
  /** It was there before, and was not launched for this. */
  readonly adopted?: true
  /**
   * The last restart that was asked for; a larger number than the one that was done means: now. One that is found stopped
   * is started by it, and one whose power is `off` is stopped: it is how power is made true again after it changed by itself.
   */
  readonly restart?: { readonly sequence: number; readonly hard: boolean; readonly service?: string }
  /** The last new disk that was asked for, in the same way. */
  readonly rebuild?: { readonly sequence: number }
}

/** What was last seen of the backend object. */
export type Observed = Pick<
  ServerInfo,
  'state' | 'stateReason' | 'launchedAt' | 'flavor' | 'image' | 'addresses' | 'endpoints' | 'services'
> & {
  /** Those it carries, where they are not the ones that it was last given. */
  readonly labels?: Readonly<Record<string, string>>
}

/** What a launched server is to become. */
export interface Target {
  /** Names the sealed content. */
  readonly launch: string
  readonly rebuild: number
}

/** What the backend refused or could not do, in words that a tenant may read. */
export interface ServerFailure {
  readonly code: ProviderErrorCode
  readonly message: string
  /** Whether it is being tried again. */
  readonly retrying: boolean
  readonly since: Instant
}

/** A change of a launched server that was refused: it is as it was, and the same is not tried again. */
export interface Refusal extends Target, Pick<ServerFailure, 'code' | 'message' | 'since'> {}

export interface ServerStatus extends BaseStatus {
  /** With the server's id it makes the launch token. Grows only when the one before is known to have left nothing. */
  readonly attempt: number
  /** `unsent`: no call with the token was ever made. Written as `sent` before the first one. */
  readonly launch: 'unsent' | 'sent'
  /** Of the store that wrote `attempt` and `launch`; the first unless said. A restored store does not believe an older one. */
  readonly epoch?: number
  readonly backendId?: string
  readonly observed?: Observed
  /**
   * What the backend has been brought to, or what the launch that is under way brings it to. One whose power is found
   * otherwise later, with nothing asked of it, did so by itself. A new disk that was refused counts as done.
   */
  readonly applied?: Target & { readonly power: 'on' | 'off'; readonly restart: number }
  /** The power that is being brought about: written before the backend is asked, and taken back once that is seen. */
  readonly powering?: 'on' | 'off'
  /** What it is being brought to: written before the backend is asked, and carried through before anything newer is. */
  readonly applying?: Target
  /** When a change that had been sent before, and not answered, was sent again: the first may arrive after the second. */
  readonly repeatedAt?: Instant
  /** It was there and is gone though nobody here asked for that. */
  readonly lost?: { readonly at: Instant; readonly reason: string }
  /**
   * Its backend object is still to be told whose it is. `claim`: nothing proves yet that it is ours, and until then it is
   * only looked at. `retag`: it is ours, and its tags say something else than they should.
   */
  readonly adopting?: 'claim' | 'retag'
  /** What is in the way now. */
  readonly failure?: ServerFailure
  /** Stands until something else is wanted, whatever else fails or succeeds meanwhile. */
  readonly refused?: Refusal
}

/** What is known of the launch of a server that nothing was done for yet. */
export const unlaunched = (attempt: number, epoch: number): Pick<ServerStatus, 'attempt' | 'launch' | 'epoch'> => ({
  attempt,
  launch: 'unsent',
  ...(epoch > 1 && { epoch }),
})

/** Hidden from tenants: they see it as the status of their instance. */
export const servers = kindOf<StoredObject<ServerSpec, ServerStatus>>('server')
export type Server = StoredObject<ServerSpec, ServerStatus>

export const serversByRegion: Index<Server> = {
  name: 'region',
  kind: servers,
  keys: ({ spec }) => [spec.region],
}

export const serversByBackend: Index<Server> = {
  name: 'backend',
  kind: servers,
  keys: ({ status }) => (status.backendId === undefined ? [] : [status.backendId]),
}

type Judged = Pick<Server, 'spec' | 'status' | 'deletedAt'>

/** What is wanted of the content of a launched server. */
export const wantedTarget = ({ spec }: Pick<Server, 'spec'>): Target => ({
  launch: spec.launch.sealed,
  rebuild: spec.rebuild?.sequence ?? 0,
})

export const sameTarget = (a: Target, b: Target): boolean => a.launch === b.launch && a.rebuild === b.rebuild

/** Whether what is wanted was refused. */
export const isRefused = (server: Pick<Server, 'spec' | 'status'>): boolean =>
  server.status.refused !== undefined && sameTarget(server.status.refused, wantedTarget(server))

/**
 * Whether it is there, all that is wanted of it and not refused was brought about, and nothing is under way: then whatever is seen of it is
 * its own doing. Stopped with power `on` has died; running with power `off` was started by somebody else.
 */
export function isSteady(server: Judged): boolean {
  const { spec, status, deletedAt } = server
  const { backendId, applied, applying, powering, lost, adopting } = status
  if (deletedAt !== undefined || backendId === undefined || lost || !applied || applying || powering || adopting)
    return false
  return (
    (sameTarget(applied, wantedTarget(server)) || isRefused(server)) &&
    applied.power === spec.power &&
    (spec.restart?.sequence ?? 0) <= applied.restart
  )
}

const onItsWay: ReadonlySet<string> = new Set(['pending', 'stopping', 'terminating'])

/** Whether its backend object is on its way somewhere, or about to be sent there: then it is worth looking often. */
export function isMoving(server: Judged): boolean {
  const { backendId, observed, lost, adopting } = server.status
  // What waits to be adopted goes nowhere by itself.
  if (backendId === undefined || adopting || (lost && server.deletedAt === undefined)) return false
  return !isSteady(server) || !observed || onItsWay.has(observed.state)
}

/** By region, those that are moving. */
export const movingServers: Index<Server> = {
  name: 'moving',
  kind: servers,
  keys: server => (isMoving(server) ? [server.spec.region] : []),
}

export const serverIndexes = [serversByRegion, serversByBackend, movingServers] as readonly Index[]
