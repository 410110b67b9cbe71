import { rmSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  isRestarted,
  type LaunchSpec,
  mayStart,
  ProviderError,
  type ServerInfo,
  servicesOf,
  stopOrder,
} from '@stead/provider-kit'
import { seconds } from '@stead/world'
import { isAlive } from '../machine/processes.ts'
import { Traffic } from '../network/traffic.ts'
import type { LaunchChange } from '../wire/words.ts'
import type { Context } from './context.ts'
import { Doors } from './doors.ts'
import { serverInfo } from './info.ts'
import { Keeper } from './keeper.ts'
import { backoff, steady } from './order.ts'
import type { Ending, Run } from './run.ts'
import { portEnvironment, Service } from './service.ts'
import { initialService, type KeptLaunch, type KeptState, type RunMark } from './state.ts'
import { changeDue, type Launched, tryLimits, updateLaunched } from './update.ts'
import { Vitals } from './vitals.ts'

export interface InstanceParts {
  readonly context: Context
  readonly id: string
  readonly kept: KeptLaunch
  readonly spec: LaunchSpec
  readonly state: KeptState
  /** Something about it is different now; `gone` when it no longer exists. */
  onChange(instance: Instance, gone: boolean): void
}

/** One launched instance: what is wanted of it, its services, and how one becomes the other. */
export class Instance {
  readonly id: string
  #launched: Launched
  readonly #parts: InstanceParts
  readonly #services: ReadonlyMap<string, Service>
  readonly #vitals: Vitals
  /** How often in a row each has ended too soon. */
  readonly #failures = new Map<string, number>()
  readonly #rebooting = new Set<string>()
  readonly #keeper: Keeper
  readonly #doors: Doors
  readonly network = new Traffic()
  /** Aborted when what was begun must not go on: it is being stopped. */
  #boot = new AbortController()
  #ending: Promise<void> | undefined
  #leaving: Promise<void> | undefined
  #updating: Promise<unknown> = Promise.resolve()
  /** Settles when the service that makes the network of all of them runs, or does not. */
  #founding: Promise<void> | undefined

  constructor(parts: InstanceParts) {
    const { context, id, kept, spec, state } = parts
    const { outer } = kept
    this.#launched = { kept, spec }
    this.#parts = parts
    this.id = id
    this.#keeper = new Keeper(context.place.instance(id), state, () => parts.onChange(this, false))
    const ports = portEnvironment(state.ports)
    this.#services = new Map(
      Object.entries(servicesOf(spec)).map(([name, launch]) => [
        name,
        new Service(context, { instance: id, name, launch, outer, ports }),
      ]),
    )
    const { world, settings } = context
    this.#doors = new Doors({ world, settings, owner: outer, networkOf: () => this.#network() })
    this.#vitals = new Vitals(world, this.#doors.relay, () => {
      this.#keeper.changed()
      this.#advance()
    })
  }

  get spec(): LaunchSpec {
    return this.#launched.spec
  }

  get kept(): KeptLaunch {
    return this.#launched.kept
  }

  get state(): KeptState {
    return this.#keeper.state
  }

  /** Resolves when what is wanted of it is on the disk. */
  get synced(): Promise<void> {
    return this.#keeper.synced
  }

  get services(): ReadonlyMap<string, Service> {
    return this.#services
  }

  /** Whether the supervisor has something to do for it. */
  get isAtRest(): boolean {
    return this.state.phase === 'stopped'
  }

  get main(): Service {
    return [...this.#services.values()].find(({ launch }) => launch.role === 'main')!
  }

  /** A process in the network of its own; undefined when it has none. */
  get networkProcess(): number | undefined {
    return this.#parts.context.settings.level === 'none' ? undefined : this.#network()
  }

  info(): ServerInfo {
    const { context } = this.#parts
    const { kept, spec } = this.#launched
    const describe = (name: string) => ({ ready: this.#isReady(name), ...this.#vitals.of(name) })
    return serverInfo({ id: this.id, kept, spec, state: this.state, address: context.settings.address }, describe)
  }

  /** Goes on from what was kept: takes over what still runs, notes what ended meanwhile, starts what should run. */
  resume(): void {
    for (const [name, { run }] of Object.entries(this.state.services)) {
      if (!run) continue
      const service = this.#services.get(name)!
      // Also one that is dead by now: its record says how it ended.
      const taken = service.adopt(run)
      if (isAlive(run.monitor)) {
        // Whoever was before us may have kept a change, and died before the kernel knew of it.
        tryLimits(service)
        void this.#attend(service, taken, run)
      } else void taken.ended.then(ending => this.#ended(service, run, ending))
    }
    const { power, phase } = this.state
    if (power === 'gone') this.terminate()
    else if (phase === 'stopping') void this.stop(false)
    else if (phase !== 'stopped') {
      if (phase === 'running') void this.#openPorts()
      this.#advance()
    }
  }

  start(): void {
    const { phase } = this.state
    if (phase === 'pending' || phase === 'running') return
    if (phase !== 'stopped')
      throw new ProviderError('Conflict', `${this.id} is ${phase}: it can be started once that is over`, {
        retryAfter: seconds(1),
      })
    const services = Object.keys(this.state.services).map(name => [name, initialService] as const)
    this.#boot = new AbortController()
    this.#failures.clear()
    this.#keeper.setWanted({
      power: 'on',
      phase: 'pending',
      reason: undefined,
      startedAt: this.#parts.context.world.now(),
      services: Object.fromEntries(services),
    })
    this.#advance()
  }

  /** Brings it to rest. Resolves when it is. */
  stop(hard: boolean, reason?: string): Promise<void> {
    if (this.state.phase === 'stopped') return Promise.resolve()
    if (this.state.phase !== 'stopping' && this.state.phase !== 'terminating')
      this.#keeper.setWanted({ power: 'off', phase: 'stopping', reason })
    if (hard) for (const service of this.#services.values()) service.run?.kill()
    this.#ending ??= this.#wind().finally(() => {
      this.#ending = undefined
    })
    return this.#ending
  }

  /** Ends it and removes everything of it. Once begun it goes on, whoever asks and however often. */
  terminate(): void {
    if (this.#leaving) return
    const isStopped = this.state.phase === 'stopped'
    this.#keeper.setWanted({ power: 'gone', phase: 'terminating', reason: undefined })
    // What fails stays as it is, and is tried again by the next supervisor.
    this.#leaving = this.#remove(isStopped).catch(error => console.error(`removing ${this.id}:`, error))
  }

  async #remove(isStopped: boolean): Promise<void> {
    this.#boot.abort()
    for (const service of this.#services.values()) service.run?.kill()
    if (!isStopped) {
      this.#ending ??= this.#wind()
      await this.#ending
    }
    const { place, ended } = this.#parts.context
    await ended.add(this.id)
    // At one moment it is there, at the next it is not.
    const gone = join(place.instances, `.gone-${this.id}`)
    await rename(place.instance(this.id), gone)
    this.#parts.onChange(this, true)
    await rm(gone, { recursive: true, force: true })
  }

  /** Restarts one service, or all of it. */
  async reboot(hard: boolean, service: string | undefined): Promise<void> {
    if (this.state.phase !== 'running')
      throw new ProviderError('Conflict', `${this.id} is ${this.state.phase}: only what runs can be restarted`)
    if (service === undefined) {
      await this.stop(hard)
      return this.start()
    }
    const found = this.#services.get(service)
    if (!found) throw new ProviderError('NotFound', `${this.id} has no service ${service}`)
    this.#rebooting.add(service)
    await found.end(hard)
  }

  /** Changes what can be changed while it runs. One after the other: each begins with what the one before has kept. */
  update(change: LaunchChange): Promise<ServerInfo> {
    const { context } = this.#parts
    const update = async () => {
      const isGone = () => this.state.power === 'gone'
      this.#launched = await updateLaunched(change, this.#launched, {
        ...{ context, id: this.id, services: this.#services, isGone },
      })
      this.#keeper.changed()
      await Promise.all([...this.#services.values()].map(service => this.#refit(service)))
      return this.info()
    }
    const updating = this.#updating.then(update)
    this.#updating = updating.catch(() => {}) // told to whoever asked for it
    return updating
  }

  /** Has what runs know of every change that was kept since it was started: by a signal, or by another start. */
  async #refit(service: Service): Promise<void> {
    const { kept } = this.#launched
    const { run } = this.state.services[service.name]!
    const due = run && changeDue(kept, service.name, run)
    if (!run || due === 'nothing') return
    if (due === 'reload' && service.reload()) {
      this.#keeper.setService(service.name, { run: { ...run, sequence: kept.sequence! } })
      return
    }
    this.#rebooting.add(service.name)
    await service.end(false)
  }

  /** Lets go of everything without touching what runs. */
  leave(): void {
    this.#boot.abort()
    this.#doors.close()
    this.#vitals.close()
    for (const service of this.#services.values()) {
      service.run?.leave()
      service.close()
    }
  }

  #advance(): void {
    const { phase } = this.state
    if (phase !== 'pending' && phase !== 'running') return
    const launches = servicesOf(this.#launched.spec)
    for (const name of mayStart(launches, this.state.services, other => this.#isReady(other)))
      this.#beginOnce(this.#services.get(name)!)
  }

  /** One that was started is not seen to run at once: until then it waits, and must not be started again. */
  #beginOnce(service: Service): void {
    if (!service.isBusy && !service.run) void this.#begin(service)
  }

  async #begin(service: Service): Promise<void> {
    const boot = this.#boot.signal
    service.isBusy = true
    try {
      const failures = this.#failures.get(service.name)
      if (failures !== undefined) await this.#parts.context.world.sleep(backoff(failures), boot)
      // Those that start at once would each make a network of their own.
      while (this.#founding && this.#network() === undefined) await this.#founding
      boot.throwIfAborted()
      const starting = this.#start(service, boot)
      if (this.#network() === undefined) this.#found(starting)
      await starting
    } catch (error) {
      if (!boot.aborted) this.#failed(service, (error as Error).message)
    } finally {
      service.isBusy = false
    }
  }

  async #start(service: Service, boot: AbortSignal): Promise<{ readonly arriving: Promise<boolean> }> {
    const { sequence = 0 } = this.#launched.kept
    const { run, mark: made } = await service.start(this.#network())
    const mark = { ...made, ...(sequence > 0 && { sequence }) }
    // Kept before it begins: whoever comes after us must know that it is there.
    this.#keeper.setService(service.name, { run: mark })
    if (boot.aborted) run.kill()
    else run.begin()
    return { arriving: this.#attend(service, run, mark) }
  }

  #found(starting: Promise<{ readonly arriving: Promise<boolean> }>): void {
    const founding = starting
      .then(({ arriving }) => arriving)
      .then(
        () => {},
        () => {}, // told to whoever started it
      )
    this.#founding = founding
    void founding.then(() => {
      if (this.#founding === founding) this.#founding = undefined
    })
  }

  /** Follows a process from here to its end. Answers whether it came to run. */
  #attend(service: Service, run: Run, mark: RunMark): Promise<boolean> {
    const arriving = run.started()
    void arriving.then(async isRunning => {
      // It may be over already.
      if (!isRunning || service.run !== run) return
      const { sequence } = this.state.services[service.name]!.run ?? mark
      const running = { ...mark, first: run.first, ...(sequence !== undefined && { sequence }) }
      this.#keeper.setService(service.name, { run: running, state: 'running', reason: undefined })
      // It may have been changed while it was being started.
      void this.#refit(service)
      this.#vitals.watch(service, this.state.ports)
      if (this.state.phase === 'pending') await this.#openPorts()
      if (service === this.main && this.state.phase === 'pending')
        this.#keeper.set({ phase: 'running', reason: undefined })
      else this.#keeper.changed()
      this.#advance()
    })
    void run.ended.then(ending => this.#ended(service, mark, ending))
    return arriving
  }

  #ended(service: Service, mark: RunMark, ending: Ending): void {
    const { world } = this.#parts.context
    service.forget()
    this.#vitals.forget(service.name)
    const code = ending.code
    const reason = ending.oom ? 'OOMKilled' : code === undefined ? 'Lost' : code === 0 ? 'Completed' : 'Error'
    const state = this.state.services[service.name]!
    const over = { run: undefined, exitCode: code, reason }
    const isUp = this.state.phase === 'pending' || this.state.phase === 'running'
    const wasAsked = this.#rebooting.delete(service.name)
    if (isUp && (wasAsked || isRestarted(service.launch, code))) {
      const isSteady = wasAsked || world.now() - mark.startedAt >= steady
      if (isSteady) this.#failures.delete(service.name)
      else this.#failures.set(service.name, (this.#failures.get(service.name) ?? -1) + 1)
      this.#keeper.setService(service.name, { ...over, state: 'waiting', restarts: state.restarts + 1 })
      this.#keeper.changed()
      this.#advance()
      return
    }
    this.#keeper.setService(service.name, { ...over, state: 'exited' })
    if (isUp) this.#settle(service, code, reason)
    else this.#keeper.changed()
  }

  /** A service has ended for good while the instance was to run. */
  #settle(service: Service, code: number | undefined, reason: string): void {
    const { role } = service.launch
    if (role === 'main' || (role === 'init' && code !== 0)) {
      const how = code === undefined ? 'ended, nobody knows how' : `exited with code ${code}`
      void this.stop(false, `${reason}: ${service.name} ${how}`)
      return
    }
    this.#keeper.changed()
    this.#advance()
  }

  /** It could not even be started: no other try will go better. */
  #failed(service: Service, why: string): void {
    this.#keeper.setService(service.name, { state: 'exited', reason: why })
    void this.stop(true, why)
  }

  async #wind(): Promise<void> {
    this.#boot.abort()
    const launches = servicesOf(this.#launched.spec)
    for (const names of stopOrder(launches))
      await Promise.all(names.map(name => this.#services.get(name)!.end(this.state.phase === 'terminating')))
    this.#doors.close()
    for (const service of this.#services.values()) {
      service.close()
      await service.removeGroup()
    }
    rmSync(join(this.#parts.context.place.stage, this.id), { recursive: true, force: true })
    if (this.state.phase !== 'terminating') this.#keeper.setWanted({ phase: 'stopped' })
  }

  #isReady(name: string): boolean {
    return this.state.services[name]?.state === 'running' && this.#vitals.isWell(name)
  }

  async #openPorts(): Promise<void> {
    const ports = this.state.ports.length > 0 ? await this.#doors.open(this.state.ports) : undefined
    if (ports) this.#keeper.set({ ports })
  }

  /** A process in the network that its services share; undefined when none of them runs. */
  #network(): number | undefined {
    for (const { run } of this.#services.values()) if (run?.first && isAlive(run.first)) return run.first.pid
    return undefined
  }
}
