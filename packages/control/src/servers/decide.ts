import type { Groups } from '@stead/provider-kit'
import { after, type Duration, elapsed, type Instant, millis } from '@stead/world'
import { isRefused, type Server, sameTarget, type Target, wantedTarget } from './model.ts'

/** Everything the next step of a server depends on. */
export interface ServerView {
  readonly server: Pick<Server, 'spec' | 'status' | 'deletedAt'>
  /** What its region can do besides the core. */
  readonly groups: Groups
  /** Whether what is written of its launch can be believed. See `Reach`. */
  readonly remembers: boolean
  /** How long a call that was not answered may still take to arrive. */
  readonly lateness: Duration
  readonly now: Instant
}

export type ServerAction =
  | { readonly type: 'rest' }
  /** Writes down that the launch is about to be sent; then it may be. */
  | { readonly type: 'intend-launch' }
  | { readonly type: 'launch' }
  /** Looks for what a launch of unknown outcome made. */
  | { readonly type: 'find' }
  | { readonly type: 'terminate' }
  /** Tells what was there before whose it is. */
  | { readonly type: 'adopt' }
  /** Nothing was ever made of it. */
  | { readonly type: 'forget' }
  | { readonly type: 'intend-change'; readonly target: Target }
  | { readonly type: 'change'; readonly target: Target }
  /** It is so already: only written down. */
  | { readonly type: 'note'; readonly power: 'on' | 'off'; readonly restart: number }
  | { readonly type: 'start' }
  | { readonly type: 'stop'; readonly hard: boolean }
  | { readonly type: 'reboot'; readonly hard: boolean; readonly service?: string }
  | { readonly type: 'refuse'; readonly message: string }
  /** A change that was sent before could still arrive, and would undo the next. */
  | { readonly type: 'wait'; readonly length: Duration }

const rest: ServerAction = { type: 'rest' }

/** The one next step that brings a server nearer to what is wanted. */
export function decideServer(view: ServerView): ServerAction {
  const { server, remembers } = view
  const { status, deletedAt } = server
  const isUnsent = status.launch === 'unsent'
  // One that is to go while nothing proves it ours is claimed first: nothing else may be ended.
  if (status.adopting === 'claim' || (status.adopting && deletedAt === undefined)) return decideAdoption(server)
  if (deletedAt !== undefined) {
    if (isUnsent && remembers) return { type: 'forget' }
    return status.backendId === undefined ? { type: 'find' } : { type: 'terminate' }
  }
  if (status.backendId === undefined && !remembers) return { type: 'find' }
  if (isUnsent) return { type: 'intend-launch' }
  if (status.backendId === undefined) return decideLaunch(server)
  // Gone, or not to be seen: an instance decides on the first, time on the second.
  if (status.lost || !status.observed || isOutOfReach(status.observed.state)) return rest
  const change = decideChange(view)
  if (change && change.type !== 'wait') return change
  const power = decidePower(view)
  return change && power.type === 'rest' ? change : power
}

const decideAdoption = ({ status: { failure }, deletedAt }: ServerView['server']): ServerAction =>
  deletedAt === undefined && failure && !failure.retrying ? rest : { type: 'adopt' }

const isOutOfReach = (state: string) => state === 'unknown' || state === 'terminating' || state === 'terminated'

function decideLaunch({ spec, status: { applied, failure } }: ServerView['server']): ServerAction {
  // The token stands for what it was first sent with: something else needs another, and first the end of this one.
  if (applied?.launch !== spec.launch.sealed) return { type: 'find' }
  return failure && !failure.retrying ? rest : { type: 'launch' }
}

function decideChange({ server, lateness, now }: ServerView): ServerAction | undefined {
  const { applied, applying, repeatedAt } = server.status
  if (applying) return { type: 'change', target: applying }
  const target = wantedTarget(server)
  if (!applied || sameTarget(target, applied) || isRefused(server)) return undefined
  // By a clock that is ahead of ours it may have been in the future: that is not waited for.
  const isEarly = repeatedAt !== undefined && now >= repeatedAt && now < after(repeatedAt, lateness)
  if (isEarly) return { type: 'wait', length: millis(lateness - elapsed(repeatedAt, now)) }
  return { type: 'intend-change', target }
}

function decidePower({ server: { spec, status }, groups }: ServerView): ServerAction {
  const { applied, powering, observed } = status
  const state = observed!.state
  const restart = spec.restart?.sequence ?? 0
  const asked = restart > applied!.restart ? spec.restart : undefined
  if (spec.power === applied!.power && !powering && !asked) return rest
  // It is on its way somewhere; where to is seen soon.
  if (state === 'stopping' || (state === 'pending' && spec.power === 'on')) return rest
  if (spec.power === 'off')
    return state === 'stopped' ? { type: 'note', power: 'off', restart } : { type: 'stop', hard: asked?.hard ?? false }
  // A stop was the first half of a restart, or is as good as one: what is left is to start it.
  if (state === 'stopped') return asked ? { type: 'note', power: 'off', restart } : { type: 'start' }
  if (!asked) return { type: 'note', power: 'on', restart }
  const { hard, service } = asked
  if (groups.reboot && (hard || groups.reboot.soft || service !== undefined))
    return { type: 'reboot', hard, ...(service !== undefined && { service }) }
  if (service !== undefined) return { type: 'refuse', message: 'one service alone cannot be restarted in this region' }
  return { type: 'stop', hard }
}
