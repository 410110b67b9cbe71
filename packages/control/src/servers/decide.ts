import type { Groups } from '@stead/provider-kit'
import { isRefused, type Server, sameTarget, type Target, wantedTarget } from './model.ts'

/** Everything the next step of a server depends on. */
export interface ServerView {
  readonly server: Pick<Server, 'spec' | 'status' | 'deletedAt'>
  /** What its region can do besides the core. */
  readonly groups: Groups
  /** Whether `unsent` can be believed. Not in a restored store: what it has forgotten may have been sent. */
  readonly remembers: boolean
}

export type ServerAction =
  | { readonly type: 'rest' }
  /** Writes down that the launch is about to be sent; then it may be. */
  | { readonly type: 'intend-launch' }
  | { readonly type: 'launch' }
  /** Looks for what a launch of unknown outcome made. */
  | { readonly type: 'find' }
  | { readonly type: 'terminate' }
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

const rest: ServerAction = { type: 'rest' }

/** The one next step that brings a server nearer to what is wanted. */
export function decideServer(view: ServerView): ServerAction {
  const { server, remembers } = view
  const { status, deletedAt } = server
  const isUnsent = status.launch === 'unsent'
  if (deletedAt !== undefined) {
    if (isUnsent && remembers) return { type: 'forget' }
    return status.backendId === undefined ? { type: 'find' } : { type: 'terminate' }
  }
  if (isUnsent) return { type: 'intend-launch' }
  if (status.backendId === undefined) return decideLaunch(server)
  // Gone, or not to be seen: an instance decides on the first, time on the second.
  if (status.lost || !status.observed || isOutOfReach(status.observed.state)) return rest
  return decideChange(server) ?? decidePower(view)
}

const isOutOfReach = (state: string) => state === 'unknown' || state === 'terminating' || state === 'terminated'

function decideLaunch({ spec, status: { applied, failure } }: ServerView['server']): ServerAction {
  // The token stands for what it was first sent with: something else needs another, and first the end of this one.
  if (applied?.launch !== spec.launch.sealed) return { type: 'find' }
  return failure && !failure.retrying ? rest : { type: 'launch' }
}

function decideChange(server: ServerView['server']): ServerAction | undefined {
  const { applied, applying } = server.status
  if (applying) return { type: 'change', target: applying }
  const target = wantedTarget(server)
  if (!applied || sameTarget(target, applied) || isRefused(server)) return undefined
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
