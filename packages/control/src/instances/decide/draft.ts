import type { Duration, Instant } from '@stead/world'
import { after, millis, seconds } from '@stead/world'
import type { OpenOperation, OperationEnd, OperationError } from '../../operations/model.ts'
import type { Amounts } from '../../quotas/kinds.ts'
import type { Server, Slot } from '../../servers/model.ts'
import { type Effect, type Instance, type InstanceStatus, policiesOf } from '../model.ts'

/** Everything a decision may depend on. Nothing else is in reach. */
export interface InstanceView {
  readonly instance: Instance
  /** All that it owns: those in its slots, and those on their way out. */
  readonly servers: readonly Server[]
  readonly operations: readonly OpenOperation[]
  /**
   * `open` takes something new; `closed` only goes on with what it has; `still` is left alone. `observing`: all regions
   * are, because the store was restored and knows less than there is.
   */
  readonly region: 'open' | 'closed' | 'still' | 'observing'
  /**
   * What it costs to bring the active server to what the instance says now; absent when it was made for just that, and
   * `unknown` while nobody can tell: then `waitsFor` says why.
   */
  readonly outdated?: Outdated | 'unknown'
  /** What it refers to and is not there yet, in words: nothing can be made before. */
  readonly waitsFor?: string
  /** Why a second server, or what it is made anew as, cannot be charged, if that was tried. */
  readonly overQuota?: string
  /** Secrets with newer versions than it was launched with, by name: those it is to be given, and those it is not. */
  readonly secrets?: { readonly rotated: readonly string[]; readonly stale: readonly string[] }
  /** When somebody last used it, where that matters. */
  readonly lastUsed?: Instant
  readonly now: Instant
}

export interface Outdated {
  readonly effect: Effect
  /** Whether anything is to be told to the backend at all. */
  readonly isChanged: boolean
  /** Whether more than labels differs from what the server was last told to be: what was refused is something else now. */
  readonly isNew: boolean
}

/** What is to change of a server. */
export interface ServerChange {
  readonly power?: 'on' | 'off'
  readonly restart?: { readonly hard: boolean; readonly service?: string }
  readonly rebuild?: true
  /** It is to realise the instance as it is now: `launch` with what is launched, `note` without. */
  readonly follow?: 'launch' | 'note'
  /** What it refused is tried once more. */
  readonly again?: true
}

export type Action =
  | { readonly type: 'create'; readonly slot: Slot; readonly power: 'on' | 'off'; readonly charge?: Amounts }
  | { readonly type: 'change'; readonly server: Server; readonly change: ServerChange }
  /** The backend object has to go. */
  | { readonly type: 'remove'; readonly server: Server }
  /** The server in `next` becomes the active one. */
  | { readonly type: 'swap'; readonly from: Server; readonly to: Server }
  /** The server that held a slot is gone. */
  | { readonly type: 'vacate'; readonly slot: Slot; readonly server: string }
  /** Of two that were charged only the active one is left: `keep` says that it is the one that was charged besides. */
  | { readonly type: 'settleCharge'; readonly keep: boolean }
  /** It is charged for this from now on, in place of what it was charged for. */
  | { readonly type: 'recharge'; readonly amounts: Amounts }
  /** Changes what is wanted, by a policy that the owner set. */
  | { readonly type: 'powerOff' }
  | { readonly type: 'expire' }
  | { readonly type: 'begin'; readonly operation: string }
  | { readonly type: 'step'; readonly operation: OpenOperation; readonly step: string; readonly message?: string }
  | {
      readonly type: 'end'
      readonly operation: OpenOperation
      readonly state: OperationEnd
      readonly error?: OperationError
    }
  | { readonly type: 'tell'; readonly level: 'info' | 'warning'; readonly reason: string; readonly message: string }
  | { readonly type: 'forget' }

export interface Decision {
  readonly actions: readonly Action[]
  readonly status: InstanceStatus
  /** When to look again though nothing changed; at once when there is more to do than one write can say. */
  readonly again?: { readonly after: Duration; readonly reason: string }
}

/** Something that stands in the way, in words for the owner. */
export interface Trouble {
  /** One CamelCase word. */
  readonly reason: string
  readonly message: string
  /** Which operations end here: all, or only those that change more than power; begun before `since`, where that is said. */
  readonly ends?: 'all' | 'changes'
  readonly since?: Instant
}

/** How often it is looked whether what something waits for is there. */
const lookAgain = seconds(5)

/** A decision while it is made. */
export class Draft {
  readonly view: InstanceView
  readonly #actions: Action[] = []
  readonly #changes = new Map<Server, ServerChange>()
  #status: InstanceStatus
  #wake: { readonly at: Instant; readonly reason: string } | undefined
  trouble: Trouble | undefined
  /** What is not as it should be, and is left so. */
  drift: string | undefined

  constructor(view: InstanceView) {
    this.view = view
    this.#status = view.instance.status
  }

  get status(): InstanceStatus {
    return this.#status
  }

  set(changes: Partial<InstanceStatus>): void {
    this.#status = { ...this.#status, ...changes }
  }

  /** Takes fields away: what is undefined would be kept as such. */
  unset(
    ...names: readonly (
      | 'change'
      | 'replacement'
      | 'restart'
      | 'retry'
      | 'runningSince'
      | 'crashes'
      | 'charged'
      | 'due'
      | 'kept'
    )[]
  ): void {
    const rest = { ...this.#status }
    for (const name of names) delete rest[name]
    this.#status = rest
  }

  /** What is wanted of its power now: who is suspended stays off, whatever they want. */
  get wantedPower(): 'on' | 'off' {
    return this.#status.suspended ? 'off' : policiesOf(this.view.instance).power
  }

  server(slot: Slot): Server | undefined {
    const id = this.#status.slots[slot]
    return id === undefined ? undefined : this.view.servers.find(server => server.id === id)
  }

  /** The active server with what this decision asks of its power: what is shown is what is coming. */
  get upcoming(): Server | undefined {
    const active = this.server('active')
    const change = active && this.#changes.get(active)
    if (!change) return active
    const { power = active.spec.power, restart, rebuild } = change
    const nextOf = (sequence = 0) => ({ sequence: sequence + 1 })
    return {
      ...active,
      spec: {
        ...active.spec,
        power,
        ...(restart && { restart: { ...nextOf(active.spec.restart?.sequence), ...restart } }),
        ...(rebuild && { rebuild: nextOf(active.spec.rebuild?.sequence) }),
      },
    }
  }

  /** Those that are in no slot any more. */
  get retiring(): readonly Server[] {
    const { active, next } = this.#status.slots
    return this.view.servers.filter(({ id }) => id !== active && id !== next)
  }

  act(action: Action): void {
    this.#actions.push(action)
  }

  change(server: Server, change: ServerChange): void {
    this.#changes.set(server, { ...this.#changes.get(server), ...change })
  }

  /** Marks a server as on its way out, once. */
  remove(server: Server): void {
    this.#changes.delete(server)
    if (server.deletedAt === undefined) this.act({ type: 'remove', server })
  }

  tell(level: 'info' | 'warning', reason: string, message: string): void {
    this.act({ type: 'tell', level, reason, message })
  }

  /** Whether servers are left as they are. */
  get isQuiet(): boolean {
    const loud = new Set(['create', 'remove', 'swap', 'vacate', 'powerOff', 'settleCharge'])
    return this.#changes.size === 0 && !this.#actions.some(({ type }) => loud.has(type))
  }

  /** Whether something that the instance refers to is not there yet. */
  isWaiting(): boolean {
    const { waitsFor, now } = this.view
    if (waitsFor === undefined) return false
    this.trouble = { reason: 'Waiting', message: waitsFor }
    this.wakeAt(after(now, lookAgain), waitsFor)
    return true
  }

  wakeAt(at: Instant, reason: string): void {
    if (!this.#wake || at < this.#wake.at) this.#wake = { at, reason }
  }

  decision(): Decision {
    const { now } = this.view
    const changes = [...this.#changes].map(([server, change]): Action => ({ type: 'change', server, change }))
    return {
      actions: [...this.#actions, ...changes],
      status: this.#status,
      ...(this.#wake && { again: { after: millis(Math.max(0, this.#wake.at - now)), reason: this.#wake.reason } }),
    }
  }
}
