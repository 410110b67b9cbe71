import { mayStart } from '@stead/provider-kit'
import { isFresh, isIncomplete } from './info.ts'
import {
  cannotRun,
  endedForGood,
  holderOf,
  isOfThisBoot,
  isShared,
  isUp,
  isWantedOn,
  type Known,
  mainOf,
  progressOf,
  type View,
} from './view.ts'

/** The one next step that brings a server nearer to what was asked of it. */
export type Step =
  | { readonly type: 'rest' }
  | { readonly type: 'remove' }
  /** Makes what is missing. */
  | { readonly type: 'make' }
  /** From here on, what is missing was taken away. */
  | { readonly type: 'mark' }
  | { readonly type: 'start-holder' }
  | { readonly type: 'start'; readonly services: readonly string[] }
  /** These run in a network that is no more. */
  | { readonly type: 'end-stale'; readonly services: readonly string[] }
  | { readonly type: 'wind' }

const rest: Step = { type: 'rest' }

/** All of it follows from what the engine shows: whoever comes after us decides the same. */
export function decide(view: View, known: Known): Step {
  if (view.stage === 'going') return { type: 'remove' }
  if (isIncomplete(view)) return view.stage === 'made' || known.problem !== undefined ? rest : { type: 'make' }
  if (known.winding) return { type: 'wind' }
  return isShared(view.shape) ? decideShared(view, known) : decideAlone(view, known)
}

function decideAlone(view: View, known: Known): Step {
  const main = holderOf(view)!
  if (!isFresh(view)) return marked(view)
  if (known.problem !== undefined || cannotRun(main) || !isWantedOn(view, known)) return marked(view)
  return { type: 'start', services: [mainOf(view.shape)] }
}

function decideShared(view: View, known: Known): Step {
  const { services } = view.shape
  const names = Object.keys(services)
  if (!isUp(view.holder)) {
    if (names.some(name => isUp(view.services[name]))) return { type: 'wind' }
    const isWanted = isFresh(view) && isWantedOn(view, known) && known.problem === undefined && !cannotRun(view.holder)
    return isWanted ? { type: 'start-holder' } : marked(view)
  }
  if (known.problem !== undefined || endedForGood(view, known) !== undefined) return { type: 'wind' }
  const stale = names.filter(name => isUp(view.services[name]) && !isOfThisBoot(view, view.services[name]))
  if (stale.length > 0) return { type: 'end-stale', services: stale }
  // An engine that came back may have started the main service by itself: what should go before it comes too late.
  const isStarted = isOfThisBoot(view, view.services[mainOf(view.shape)])
  const open = Object.fromEntries(
    names.filter(name => !isStarted || services[name]!.role !== 'init').map(name => [name, services[name]!]),
  )
  const states = Object.fromEntries(names.map(name => [name, progressOf(view, name, known)]))
  const isReady = (name: string) =>
    services[name]!.role === 'init' || (states[name]!.state === 'running' && known.isWell(name))
  const next = mayStart(open, states, isReady).filter(name => !isOfThisBoot(view, view.services[name]))
  return next.length > 0 ? { type: 'start', services: next } : marked(view)
}

const marked = (view: View): Step => (view.stage === 'new' ? { type: 'mark' } : rest)
