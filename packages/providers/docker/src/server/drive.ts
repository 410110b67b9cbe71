import {
  backoff,
  isProviderError,
  type LaunchSpec,
  ProviderError,
  type ServerInfo,
  stopOrder,
} from '@stead/provider-kit'
import { millis, seconds } from '@stead/world'
import { filesDirectory, specFile } from './containers.ts'
import type { Context } from './context.ts'
import { decide, type Step } from './decide.ts'
import type { Feed } from './feed.ts'
import { isFresh, isIncomplete, type Live, serverInfo, stateOf } from './info.ts'
import { labels, names, unpackSpec } from './labels.ts'
import { look, type Seen } from './look.ts'
import { make } from './make.ts'
import { removeParts, removeRecord } from './remove.ts'
import { holderOf, isShared, isUp, mainOf, mayEndUnseen, type View } from './view.ts'
import { Vitals } from './vitals.ts'

const retry = { base: millis(200), cap: seconds(10) }
/** What fails this often will not go better. */
const patience: Readonly<Record<string, number>> = { Internal: 3, NotFound: 3, Capacity: 5 }
/** Bringing down and removing is never given up. */
const givenUp: ReadonlySet<Step['type']> = new Set(['make', 'start', 'start-holder'])

/** What is done with a server that is complete and has never run. */
const firsts: ReadonlySet<Step['type']> = new Set(['mark', 'start', 'start-holder'])

function isHopeless(error: ProviderError, failures: number): boolean {
  const allowed = patience[error.code]
  return allowed === undefined ? !error.retryable : failures >= allowed
}

/** What another process may be at is left to it for so long. */
const courtesy = seconds(5)

interface Winding {
  readonly hard: boolean
  readonly thenStart: boolean
}

export interface DriveParts {
  readonly context: Context
  readonly id: string
  readonly feed: Feed
  /** It only looks: the server is not ours. */
  readonly isPassive: boolean
  onGone(): void
}

/** Brings one server to where it should be, step by step, from what its engine shows; and tells what becomes of it. */
export class Drive {
  readonly id: string
  readonly #parts: DriveParts
  readonly #closing = new AbortController()
  readonly #vitals: Vitals
  readonly #rebooting = new Set<string>()
  #spec: LaunchSpec | undefined
  #isFurnished = false
  #winding: Winding | undefined
  #rested = false
  #power: 'on' | 'off' | undefined
  #problem: string | undefined
  #isLeaving = false
  /** It was marked as going. */
  #isGoing = false
  #marking: Promise<unknown> = Promise.resolve()
  #isRunning = false
  #again = false
  #looks = 0
  /** Looks up to this one began before it came to rest, was started or was to go: they do not go with what is known now. */
  #outdated = 0
  #published = 0
  /** Whether it was this process that was told about it last. Until then, others may be at work. */
  #isMine = false
  #undone: { readonly step: string; readonly since: number } | undefined

  constructor(parts: DriveParts) {
    this.id = parts.id
    this.#parts = parts
    this.#vitals = new Vitals(parts.context, () => this.wake())
  }

  /** Something about it may be different now. */
  wake(): void {
    this.#again = true
    if (this.#parts.isPassive || this.#isRunning || this.#closing.signal.aborted) return
    this.#isRunning = true
    void this.#run().finally(() => {
      this.#isRunning = false
      if (this.#again) this.wake()
    })
  }

  /** What it is now. Throws `NotFound`. */
  async info(signal?: AbortSignal): Promise<ServerInfo> {
    return this.#tell(await this.#see(signal))
  }

  /** Goes on with a launch. */
  launched(spec: LaunchSpec, isFurnished: boolean): void {
    this.#spec = spec
    this.#isFurnished ||= isFurnished
    this.#isMine = true
    this.wake()
  }

  async start(): Promise<void> {
    const { engine } = this.#parts.context
    const { view } = await this.#see()
    const state = stateOf(view, this.#known())
    if (state === 'terminating' || state === 'terminated')
      throw new ProviderError('Conflict', `${this.id} is ${state}: it does not come back`)
    if (state === 'stopping')
      throw new ProviderError('Conflict', `${this.id} is stopping: it can be started once that is over`, {
        retryAfter: seconds(1),
      })
    if (state !== 'stopped') return
    this.#isMine = true
    this.#problem = undefined
    this.#power = 'on'
    if (!isIncomplete(view)) {
      await engine.startContainer(
        isShared(view.shape) ? names.holder(this.id) : names.service(this.id, mainOf(view.shape)),
      )
      this.#rested = false
      this.#outdated = this.#looks
    }
    this.wake()
  }

  async stop(hard: boolean): Promise<void> {
    const { view } = await this.#see()
    const state = stateOf(view, this.#known())
    if (state === 'terminating' || state === 'terminated' || (state === 'stopped' && !this.#winding)) return
    this.#isMine = true
    this.#power = 'off'
    this.#wind({ hard, thenStart: false }, view)
  }

  async reboot(hard: boolean, service: string | undefined): Promise<void> {
    const { view } = await this.#see()
    const state = stateOf(view, this.#known())
    if (state !== 'running')
      throw new ProviderError('Conflict', `${this.id} is ${state}: only what runs can be restarted`)
    this.#isMine = true
    if (service === undefined) return this.#wind({ hard, thenStart: true }, view)
    if (!view.services[service]) throw new ProviderError('NotFound', `${this.id} has no service ${service}`)
    this.#rebooting.add(service)
    try {
      await this.#end(view, service, hard)
      await this.#parts.context.engine.startContainer(names.service(this.id, service))
    } finally {
      this.#rebooting.delete(service)
      this.#outdated = this.#looks
      this.wake()
    }
  }

  /** From here on it goes, whoever asks and whatever happens to us. */
  async terminate(): Promise<void> {
    const { view, record } = await this.#see()
    const { engine } = this.#parts.context
    this.#isMine = true
    this.#isLeaving = true
    // A mark that is under way would be set over this one: an engine looks up a name before it waits for its turn.
    await this.#marking
    if (view.stage !== 'going') await engine.renameContainer(record, names.going(this.id))
    this.#isGoing = true
    this.#outdated = this.#looks
    // Whoever is being asked to stop is asked no longer.
    if (this.#winding) await removeParts(this.#parts.context, this.id)
    this.wake()
  }

  close(): void {
    this.#closing.abort(new ProviderError('Unavailable', 'the provider was closed'))
    this.#vitals.close()
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted
  }

  #wind(winding: Winding, view: View): void {
    const isUnderWay = this.#winding !== undefined
    this.#winding = { ...winding, hard: winding.hard || (this.#winding?.hard ?? false) }
    // A stop that waits for the grace of a service ends at once when somebody asks hard.
    if (isUnderWay && winding.hard) for (const name of Object.keys(view.services)) void this.#cut(view, name)
    this.wake()
  }

  async #cut(view: View, name: string): Promise<void> {
    try {
      await this.#end(view, name, true)
    } catch (error) {
      // The stop that is under way meets the same failure, and deals with it.
      if (!isProviderError(error)) throw error
    }
  }

  async #see(signal?: AbortSignal): Promise<Seen> {
    const seen = await this.#look(signal)
    if (!seen) throw new ProviderError('NotFound', `there is no server ${this.id}`)
    return seen
  }

  async #look(signal: AbortSignal | undefined): Promise<(Seen & { readonly number: number }) | undefined> {
    const number = ++this.#looks
    const seen = await look(this.#parts.context, this.id, signal)
    if (number <= this.#outdated) return this.#look(signal)
    if (seen && !this.#isClosed && !this.#parts.isPassive) this.#vitals.attend(seen.view)
    return seen && { ...seen, number }
  }

  /** What is seen is told, unless something newer was told meanwhile. */
  #tell({ view, ...seen }: Seen & { readonly number?: number }): ServerInfo {
    const info = serverInfo(view, this.#known())
    const number = seen.number ?? this.#looks
    if (number >= this.#published && !this.#isClosed) {
      this.#published = number
      this.#parts.feed.publish(this.id, info)
    }
    return info
  }

  #known(): Live {
    const { context } = this.#parts
    const images = Object.values(this.#spec?.source.type === 'services' ? this.#spec.source.services : {})
    return {
      winding: this.#winding !== undefined,
      rested: this.#rested,
      power: this.#power,
      rebooting: this.#rebooting,
      problem: this.#problem,
      progress: context.images.progressOf(images.map(({ image }) => image)),
      restartsLate: context.kind === 'podman',
      now: context.world.now(),
      address: context.settings.address,
      isWell: name => this.#vitals.isWell(name),
      healthOf: name => this.#vitals.of(name),
    }
  }

  async #run(): Promise<void> {
    let failures = 0
    while (!this.#isClosed) {
      this.#again = false
      let step: Step | undefined
      try {
        const seen = await this.#look(this.#closing.signal)
        if (!seen) return this.#gone()
        // Another process that looked it up by its first name has marked it as made over that.
        if (this.#isGoing && seen.view.stage !== 'going') {
          await this.#parts.context.engine.renameContainer(seen.record, names.going(this.id))
          continue
        }
        this.#tell(seen)
        step = decide(seen.view, this.#known())
        if (step.type === 'rest' || !this.#mayAct(step)) {
          if (mayEndUnseen(seen.view, this.#known())) this.#later(1_000)
          if (this.#again) continue
          return
        }
        await this.#perform(step, seen)
        failures = 0
      } catch (error) {
        if (this.#isClosed) return
        failures++
        if (!isProviderError(error)) throw error
        if (step && givenUp.has(step.type) && isHopeless(error, failures)) this.#problem = error.message
        else await this.#pause(failures)
      }
    }
  }

  async #pause(failures: number): Promise<void> {
    const { world } = this.#parts.context
    try {
      await world.sleep(backoff(world, retry, failures), this.#closing.signal)
    } catch {
      // It is closed: whoever sleeps here sees that next.
    }
  }

  /** What we were not asked for may be another process's to do: it is ours when nothing has come of it for a while. */
  #mayAct(step: Step): boolean {
    if (this.#isMine) return true
    const { world } = this.#parts.context
    const text = JSON.stringify(step)
    if (this.#undone?.step !== text) {
      this.#undone = { step: text, since: world.monotonic() }
      this.#later(courtesy)
      return false
    }
    if (world.monotonic() - this.#undone.since < courtesy) return false
    this.#isMine = true
    return true
  }

  #later(wait: number): void {
    this.#parts.context.world.sleep(millis(wait), this.#closing.signal).then(
      () => this.wake(),
      () => {},
    )
  }

  async #perform(step: Step, { view, record }: Seen): Promise<void> {
    const { context } = this.#parts
    const { engine } = context
    // Containers can be complete without it: who made them may have died before it was there.
    if (firsts.has(step.type) && isFresh(view)) await this.#attach(view)
    switch (step.type) {
      case 'remove':
        await removeParts(context, this.id)
        return removeRecord(context, this.id, record)
      case 'make':
        return this.#make(view, record)
      case 'mark':
        return this.#mark()
      case 'start-holder':
        return engine.startContainer(names.holder(this.id))
      case 'start':
        await Promise.all(step.services.map(name => engine.startContainer(names.service(this.id, name))))
        return
      case 'end-stale':
        await Promise.all(step.services.map(name => this.#end(view, name, false)))
        return
      case 'wind':
        return this.#bringDown(view)
      case 'rest':
        return
    }
  }

  async #attach(view: View): Promise<void> {
    const { networks, engine, kind } = this.#parts.context
    const { shared } = view.shape
    // Podman makes no container without its networks.
    if (kind === 'podman') return
    await networks.ensure(this.id, view.shape)
    const holder = holderOf(view)
    if (!shared || !holder || holder.NetworkSettings.Networks?.[shared.network]) return
    await engine.connectNetwork(shared.network, holder.Id, [shared.name])
  }

  async #mark(): Promise<void> {
    if (this.#isLeaving) return
    // By its name, not its id: what is going by now stays so.
    const marking = this.#parts.context.engine.renameContainer(names.record(this.id), names.made(this.id))
    this.#marking = marking.catch(() => {}) // told below
    await marking
  }

  async #make(view: View, record: string): Promise<void> {
    const { context } = this.#parts
    const text =
      this.#spec === undefined
        ? (view.labels[labels.rest] ??
          (await context.engine.readFile(record, `${filesDirectory}/${specFile}`))?.toString())
        : undefined
    if (text !== undefined) this.#spec = unpackSpec(text)
    // Whoever launched it got no further than its record, and got no answer: the launch is sent again.
    if (!this.#spec) throw new ProviderError('Unavailable', `${this.id} waits for its launch to be sent again`)
    const stop = context.images.onProgress(() => void this.#showProgress())
    try {
      await make(context, view, record, this.#spec, this.#isFurnished)
    } finally {
      stop()
    }
  }

  async #showProgress(): Promise<void> {
    try {
      await this.info(this.#closing.signal)
    } catch (error) {
      // Whoever is at work here meets the same, and deals with it.
      if (!this.#isClosed && !isProviderError(error)) throw error
    }
  }

  async #bringDown(view: View): Promise<void> {
    const { engine } = this.#parts.context
    const isHard = () => this.#winding?.hard ?? false
    for (const stage of stopOrder(view.shape.services))
      await Promise.all(stage.map(name => this.#end(view, name, isHard())))
    if (view.holder?.State.Running) await engine.stopContainer(names.holder(this.id), 1)
    const winding = this.#winding
    this.#rested = winding !== undefined
    if (winding?.thenStart) {
      this.#power = 'on'
      await engine.startContainer(
        isShared(view.shape) ? names.holder(this.id) : names.service(this.id, mainOf(view.shape)),
      )
      this.#rested = false
    }
    this.#winding = undefined
    this.#outdated = this.#looks
  }

  async #end(view: View, name: string, hard: boolean): Promise<void> {
    const container = view.services[name]
    if (!container?.State.Running) return
    const grace = hard ? 0 : view.shape.services[name]!.stopGraceSeconds
    await this.#parts.context.engine.stopContainer(names.service(this.id, name), grace)
  }

  #gone(): void {
    this.#parts.feed.publish(this.id, undefined)
    this.close()
    this.#parts.onGone()
  }

  /** Whether it may be entered: a service that runs. */
  async running(
    service: string | undefined,
  ): Promise<{ readonly name: string; readonly container: string; readonly isSecretive: boolean }> {
    const { view } = await this.#see()
    const name = service ?? mainOf(view.shape)
    const shape = view.shape.services[name]
    if (!shape) throw new ProviderError('NotFound', `${this.id} has no service ${name}`)
    if (!isUp(view.services[name]))
      throw new ProviderError('Conflict', `${name} of ${this.id} does not run: nothing can be run in it`)
    return { name, container: names.service(this.id, name), isSecretive: shape.isSecretive }
  }

  /** What a view that somebody else has taken means. */
  project(view: View): ServerInfo {
    return serverInfo(view, this.#known())
  }

  async view(signal?: AbortSignal): Promise<View> {
    return (await this.#see(signal)).view
  }
}
