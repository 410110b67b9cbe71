import { isDeepStrictEqual } from 'node:util'
import {
  again,
  changeSet,
  clearCondition,
  done,
  park,
  type ReconcileContext,
  type Result,
  retry,
  setCondition,
} from '@stead/engine'
import type { Collection, ResourceInfo, ResourceSpec } from '@stead/provider-kit'
import { after, type Duration, millis, minutes, seconds } from '@stead/world'
import type { Tell } from '../audit/deeds.ts'
import { appendEvent } from '../events/model.ts'
import { forget } from '../teardown/controller.ts'
import type { Decision } from './decide.ts'
import type { RealisedKind } from './kind.ts'
import type { Memory } from './memory.ts'
import { delayedCondition, lostCondition, type Realised, type RealisedStatus } from './model.ts'
import { mostLate, type Outside } from './outside.ts'
import { PreparationError, type Trouble, troubleOf } from './words.ts'

/** How often what has settled is looked at. Nothing is written by that. */
const driftInterval = minutes(10)
/** So much longer than anything can be late that wall clocks may be minutes apart. */
const doubtTime = minutes(10)
/** A hiccup is not worth telling; this many failures in a row are. */
const tellingFailures = 3
/** What could not be brought so often in a row is given up: whoever asked for it sees why, and can ask again. */
const mostPreparations = 10
/** Somebody has to do something where what was brought is not to be found. */
const missingPause = seconds(30)

/** What can be refused for good. Who only asks, or removes, goes on asking and removing. */
const refusable: ReadonlySet<Decision['type']> = new Set(['prepare', 'intend', 'send', 'update'])

type Acting = Exclude<Decision, { readonly type: 'describe' } | { readonly type: 'search' }>

export interface EffectsOptions<
  Object extends Realised,
  Spec extends ResourceSpec,
  Info extends ResourceInfo,
  Group extends Collection<Spec, Info>,
> {
  readonly kind: RealisedKind<Object, Spec, Info, Group>
  readonly memory: Memory
  readonly context: ReconcileContext
  readonly tell: Tell
}

/** Does what was decided about one object. Every effect is safe to repeat. */
export class Effects<
  Object extends Realised,
  Spec extends ResourceSpec,
  Info extends ResourceInfo,
  Group extends Collection<Spec, Info>,
> {
  readonly #kind: RealisedKind<Object, Spec, Info, Group>
  readonly #memory: Memory
  readonly #context: ReconcileContext
  readonly #audit: Tell

  constructor({ kind, memory, context, tell }: EffectsOptions<Object, Spec, Info, Group>) {
    this.#kind = kind
    this.#memory = memory
    this.#context = context
    this.#audit = tell
  }

  async perform(decision: Acting, object: Object, outside: Outside<Object, Spec, Info, Group>): Promise<Result> {
    const { preparing } = this.#kind
    switch (decision.type) {
      case 'nothing':
        await preparing?.letGo(object)
        return this.#settled(object)
      case 'hold':
        return this.#hold(decision, object)
      case 'park':
        await preparing?.letGo(object)
        return park('Failed', decision.message)
      case 'wait':
        return this.#poll(object, decision.message)
      case 'prepare': {
        const result = await preparing!.prepare(object, this.#context)
        this.#memory.succeeded(object.id)
        return result
      }
      case 'intend':
        return (
          (await this.#unlessThere(object)) ??
          this.#send(await this.intended(object), outside, { fresh: object.status.sent === undefined })
        )
      case 'send':
        return (await this.#unlessThere(object)) ?? this.#send(object, outside, { fresh: false })
      case 'update': {
        this.#memory.clear(object.id, 'updated')
        this.#memory.since(object.id, 'updated', this.#context.world.monotonic())
        const info = await outside.update(object)
        return this.#took(object, info, {})
      }
      case 'report':
        return this.#report(object, decision)
      case 'remove':
        await outside.remove(object, decision.ids)
        return this.#poll(object, 'it was told to go')
      case 'forget': {
        const { world, cache, commit } = this.#context
        await preparing?.letGo(object)
        const set = forget(changeSet(world), { whole: this.#kind.whole, tell: this.#audit }, object, cache)
        this.#kind.concluding?.(set, object, { state: 'gone' }, { cache, now: world.now() })
        await commit(set)
        return done
      }
    }
  }

  /** What a failure means: tried again where that can help, and told where it lasts. Bugs are thrown on. */
  async failed(error: unknown, { id, generation }: Object, { type }: Decision): Promise<Result> {
    const trouble = troubleOf(error)
    if (!trouble) throw error
    // As it is by now: what was about to be sent has been written on it.
    const object = this.#context.cache.get<Object>(this.#kind.whole.kind, id)
    if (!object || object.generation !== generation) return retry(error)
    const isHopeless = trouble.isHopeless || this.#kind.isHopeless?.(object, trouble.code)
    if (isHopeless && refusable.has(type)) {
      const { sent } = object.status
      const learnt = type === 'intend' && sent ? { sent: { ...sent, refused: true } as const } : {}
      return this.#report(object, { type: 'report', state: 'failed', reason: trouble.message }, learnt)
    }
    const failures = this.#memory.failed(object.id)
    if (error instanceof PreparationError && failures >= mostPreparations) {
      const reason = `${trouble.message}; given up after ${failures} tries`
      return this.#report(object, { type: 'report', state: 'failed', reason })
    }
    if (failures >= tellingFailures) await this.#tell(object, trouble)
    const { retryAfter } = error as { readonly retryAfter?: Duration }
    return retryAfter === undefined ? retry(error) : again(retryAfter, trouble.message)
  }

  /** Waits where what it is made of cannot be read: on another node it may be, and here again when it is put right. */
  async #unlessThere(object: Object): Promise<Result | undefined> {
    const message = await this.#kind.preparing?.missing(object)
    if (message === undefined) return undefined
    await this.#tell(object, { code: 'ContentMissing', message })
    return again(missingPause, message)
  }

  /** The object with what is about to be sent written on it. */
  protected intended(object: Object): Promise<Object> {
    return this.#write(object, { ...object.status, sent: { labels: object.labels } })
  }

  async #send(object: Object, outside: Outside<Object, Spec, Info, Group>, { fresh }: { fresh: boolean }) {
    const info = await outside.create(object, fresh)
    const doubt = fresh ? {} : { doubtfulUntil: after(this.#context.world.now(), doubtTime) }
    return this.#took(object, info, { ...doubt, backendId: info.id })
  }

  /** The backend has answered with it as it now is. */
  async #took(object: Object, info: Info, learnt: Partial<RealisedStatus>): Promise<Result> {
    this.#memory.succeeded(object.id)
    const isReady = info.state === 'ready' && (this.#kind.update?.isCurrent(object, info) ?? true)
    if (isReady) return this.#report(object, { type: 'report', state: 'ready' }, learnt)
    if (Object.keys(learnt).length > 0) await this.#write(object, { ...object.status, ...learnt })
    return this.#poll(object, `it is ${info.state}`)
  }

  async #report(
    object: Object,
    told: Extract<Decision, { readonly type: 'report' }>,
    learnt: Partial<RealisedStatus> = {},
  ): Promise<Result> {
    const { world, cache, commit } = this.#context
    const { state } = told
    const { reason: _reason, ...known } = object.status
    const undelayed = clearCondition(known.conditions, delayedCondition)
    const message = 'it was there and is gone, without our doing; it is not made again by itself'
    const conditions =
      state === 'lost'
        ? setCondition(undelayed, { type: lostCondition, status: 'true', reason: 'Gone', message }, world.now())
        : clearCondition(undelayed, lostCondition)
    const status: RealisedStatus = {
      ...{ ...known, ...learnt, state, observedGeneration: object.generation },
      ...((known.conditions || conditions.length > 0) && { conditions }),
      ...(state === 'failed' && { reason: told.reason }),
      ...(state === 'lost' && { reason: message }),
    }
    if (!isDeepStrictEqual(status, object.status)) {
      const set = changeSet(world).update<unknown, RealisedStatus>(object, { status })
      if (object.status.state !== state) appendEvent(set, { ...object, status }, eventOf(told, message))
      this.#kind.concluding?.(set, object, told, { cache, now: world.now() })
      await commit(set)
    }
    // Only now: what is not written down is sent again after a crash, and takes it to be here.
    await this.#kind.preparing?.letGo(object)
    return state === 'failed' ? park('Failed', told.reason) : this.#settled(object)
  }

  /** Looked at again from time to time; sooner after a change, when one that came before it may still arrive. */
  #settled({ id }: Object): Result {
    const { world } = this.#context
    this.#memory.succeeded(id)
    this.#memory.clear(id, 'waiting')
    const sinceUpdate = this.#memory.age(id, 'updated', world.monotonic())
    const isFresh = sinceUpdate !== undefined && sinceUpdate < 2 * mostLate
    return again(isFresh ? mostLate : millis(driftInterval * (0.75 + world.random() / 2)), 'to see whether it is there')
  }

  async #hold(held: Extract<Decision, { readonly type: 'hold' }>, object: Object): Promise<Result> {
    const { reason, message } = held
    if (reason === 'ObserveOnly') return park(reason, message)
    if (reason === 'Needs') await this.#tell(object, { code: reason, message })
    return done
  }

  /** Often at first, then more and more seldom. */
  #poll({ id }: Object, reason: string): Result {
    const waited = this.#memory.since(id, 'waiting', this.#context.world.monotonic())
    return again(millis(Math.min(Math.max(waited / 4, millis(200)), seconds(5))), reason)
  }

  async #tell(object: Object, { code, message }: Pick<Trouble, 'message'> & { readonly code: string }): Promise<void> {
    const { world } = this.#context
    const told = { type: delayedCondition, status: 'true', reason: code, message } as const
    const conditions = setCondition(object.status.conditions, told, world.now())
    if (conditions !== object.status.conditions) await this.#write(object, { ...object.status, conditions })
  }

  async #write(object: Object, status: RealisedStatus): Promise<Object> {
    const { world, cache, commit } = this.#context
    await commit(changeSet(world).update<unknown, RealisedStatus>(object, { status }))
    return cache.get<Object>(this.#kind.whole.kind, object.id) ?? object
  }
}

function eventOf(told: Extract<Decision, { readonly type: 'report' }>, lost: string) {
  switch (told.state) {
    case 'ready':
      return { reason: 'Ready', message: 'it is there' } as const
    case 'lost':
      return { level: 'warning', reason: 'Lost', message: lost } as const
    case 'failed':
      return { level: 'warning', reason: 'Failed', message: told.reason } as const
  }
}
