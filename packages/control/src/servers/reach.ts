import type { ReconcileContext, Sealer, Store } from '@stead/engine'
import type { CallOptions, LaunchSpec, Provider } from '@stead/provider-kit'
import { type Duration, millis, seconds } from '@stead/world'
import type { RegionClients } from '../regions/clients.ts'
import type { Region } from '../regions/model.ts'
import { unsealLaunch } from './launch-content.ts'
import type { Server } from './model.ts'

/** What the servers' controllers have around them. */
export interface ServerSurroundings {
  readonly store: Pick<Store, 'blob' | 'identity' | 'keyHolder' | 'records'>
  readonly sealer: Sealer
  readonly clients: RegionClients
}

/** One pass over one server: its region's provider, and the only door to it. */
export interface Reach {
  readonly context: ReconcileContext
  readonly provider: Provider
  readonly store: ServerSurroundings['store']
  readonly region: string
  /**
   * Whether what is written of the launch of a server can be believed. Not of one that a restored store has from before:
   * what that has forgotten may have been sent, and with other tokens than it knows of.
   */
  remembers(server: Pick<Server, 'status'>): boolean
  content(server: Server, sealed: string): Promise<LaunchSpec>
}

type Verb =
  | 'launch'
  | 'adopt'
  | 'terminate'
  | 'describe'
  | 'list'
  | 'stop'
  | 'start'
  | 'reboot'
  | 'resize'
  | 'rebuild'
  | 'update'

const reads: ReadonlySet<Verb> = new Set(['describe', 'list'])
/** A call that takes longer has been lost; what it did is found again. */
const usualDeadline = seconds(30)
const launchDeadline = seconds(60)
const connectDeadline = seconds(30)

export async function reachRegion(
  context: ReconcileContext,
  { store, sealer, clients }: ServerSurroundings,
  region: Region,
): Promise<Reach> {
  const connect = { name: 'connect', mutates: false, deadline: connectDeadline }
  return {
    context,
    store,
    provider: clients.connected(region) ?? (await context.outside(connect, () => clients.of(region))),
    region: region.id,
    remembers: ({ status }) => (status.epoch ?? 1) === store.identity.epoch,
    content: (server, sealed) => unsealLaunch({ store, sealer }, server, sealed),
  }
}

/** One call to the backend. `after` passes first: pictures from before it are not believed. */
export function ask<T>(
  reach: Reach,
  verb: Verb,
  perform: (provider: Provider, options: Required<CallOptions>) => Promise<T>,
  after: Duration = millis(0),
): Promise<T> {
  const { context, provider } = reach
  // A provider that finds launches by search waits for what is under way before it sends another.
  const limit = verb === 'launch' ? launchDeadline + settleTime(reach) : usualDeadline
  const call = { name: verb, mutates: !reads.has(verb), deadline: millis(limit + after) }
  return context.outside(call, async signal => {
    if (after > 0) await context.world.sleep(after, signal)
    return perform(provider, { signal })
  })
}

/** Where a backend does not say how late an unanswered launch may come to light, because its tokens make that harmless. */
const usualLateness = seconds(10)

/**
 * How long an unanswered launch may still bring something to light. A refusal says nothing of a call that was sent before
 * it and never answered: only this time does.
 */
export function settleTime({ provider }: Reach): Duration {
  const { launch, consistency } = provider.capabilities()
  const settle = launch.idempotency.mode === 'search' ? launch.idempotency.settle : usualLateness
  return millis(Math.max(settle, consistency.list))
}
