import { rmSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type LaunchSpec, ProviderError, type ServerInfo } from '@stead/provider-kit'
import { millis, seconds } from '@stead/world'
import { isAlive } from '../machine/processes.ts'
import { Forwarder } from '../network/forwarder.ts'
import { Relay } from '../network/relay-client.ts'
import type { Context } from './context.ts'
import { writeWhole } from './durable.ts'
import { HealthWatch } from './health.ts'
import { serverInfo } from './info.ts'
import { backoff, isRestarted, mayStart, steady, stopOrder } from './order.ts'
import type { Ending, Run } from './run.ts'
import { portEnvironment, Service } from './service.ts'
import {
  initialService,
  type KeptLaunch,
  type KeptState,
  type RunMark,
  type ServiceState,
  servicesOf,
} from './state.ts'

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
  readonly kept: KeptLaunch
  readonly #parts: InstanceParts
  readonly #services: ReadonlyMap<string, Service>
  readonly #health = new Map<string, HealthWatch>()
  /** How often in a row each has ended too soon. */
  readonly #failures = new Map<string, number>()
  readonly #rebooting = new Set<string>()
  readonly #relay: Relay
  readonly #forwarder: Forwarder
  #state: KeptState
  /** Aborted when what was begun must not go on: it is being stopped. */
  #boot = new AbortController()
  #ending: Promise<void> | undefined
  #ports = false

  constructor(parts: InstanceParts) {
    const { context, id, kept, spec, state } = parts
    const { outer } = kept
    this.#parts = parts
    this.id = id
    this.kept = kept
    this.#state = state
    const ports = portEnvironment(state.ports)
    this.#services = new Map(
      Object.entries(servicesOf(spec)).map(([name, launch]) => [
        name,
        new Service(context, { instance: id, name, launch, outer, ports }),
      ]),
    )
    this.#relay = new Relay(context.world, () => this.#network(), outer)
    this.#forwarder = new Forwarder(context.settings.address, this.#relay)
  }

  get state(): KeptState {
    return this.#state
  }

  get services(): ReadonlyMap<string, Service> {
    return this.#services
  }

  /** Whether the supervisor has something to do for it. */
  get isAtRest(): boolean {
    return this.#state.phase === 'stopped'
  }

  get main(): Service {
    return [...this.#services.values()].find(({ launch }) => launch.role === 'main')!
  }

  info(): ServerInfo {
    const { context, spec } = this.#parts
    const describe = (name: string) => {
      const watch = this.#health.get(name)
      return { ready: this.#isReady(name), health: watch?.health, problem: watch?.problem }
    }
    return serverInfo(
      { id: this.id, kept: this.kept, spec, state: this.#state, address: context.settings.address },
      describe,
    )
  }

  /** Goes on from what was kept: takes over what still runs, notes what ended meanwhile, starts what should run. */
  resume(): void {
    if (this.#state.power === 'gone') return void this.terminate()
    for (const [name, { run }] of Object.entries(this.#state.services)) {
      if (!run) continue
      const service = this.#services.get(name)!
      // Also one that is dead by now: its record says how it ended.
      const taken = service.adopt(run)
      if (isAlive(run.monitor)) this.#attend(service, taken, run)
      else void taken.ended.then(ending => this.#ended(service, run, ending))
    }
    if (this.#state.power === 'off' && this.#state.phase !== 'stopped') void this.stop(false)
    else if (this.#state.power === 'on' && this.#state.phase !== 'stopped') {
      if (this.#state.phase === 'running') void this.#openPorts()
      this.#advance()
    }
  }

  start(): void {
    const { phase } = this.#state
    if (phase === 'pending' || phase === 'running') return
    if (phase !== 'stopped')
      throw new ProviderError('Conflict', `${this.id} is ${phase}: it can be started once that is over`, {
        retryAfter: seconds(1),
      })
    const services = Object.keys(this.#state.services).map(name => [name, initialService] as const)
    this.#boot = new AbortController()
    this.#failures.clear()
    this.#keep(
      {
        power: 'on',
        phase: 'pending',
        reason: undefined,
        startedAt: this.#parts.context.world.now(),
        services: Object.fromEntries(services),
      },
      true,
    )
    this.#advance()
  }

  /** Brings it to rest. Resolves when it is. */
  stop(hard: boolean, reason?: string): Promise<void> {
    if (this.#state.phase === 'stopped') return Promise.resolve()
    if (this.#state.phase !== 'stopping' && this.#state.phase !== 'terminating')
      this.#keep({ power: 'off', phase: 'stopping', reason }, true)
    if (hard) for (const service of this.#services.values()) service.run?.kill()
    this.#ending ??= this.#wind().finally(() => {
      this.#ending = undefined
    })
    return this.#ending
  }

  /** Ends it and removes everything of it. */
  async terminate(): Promise<void> {
    if (this.#state.phase === 'terminating') return
    const isStopped = this.#state.phase === 'stopped'
    this.#keep({ power: 'gone', phase: 'terminating', reason: undefined }, true)
    this.#boot.abort()
    for (const service of this.#services.values()) service.run?.kill()
    if (!isStopped) {
      this.#ending ??= this.#wind()
      await this.#ending
    }
    const { place } = this.#parts.context
    // At one moment it is there, at the next it is not.
    const gone = join(place.instances, `.gone-${this.id}`)
    await rename(place.instance(this.id), gone)
    this.#parts.onChange(this, true)
    await rm(gone, { recursive: true, force: true })
  }

  /** Restarts one service, or all of it. */
  async reboot(hard: boolean, service: string | undefined): Promise<void> {
    if (this.#state.phase !== 'running')
      throw new ProviderError('Conflict', `${this.id} is ${this.#state.phase}: only what runs can be restarted`)
    if (service === undefined) {
      await this.stop(hard)
      return this.start()
    }
    const found = this.#services.get(service)
    if (!found) throw new ProviderError('NotFound', `${this.id} has no service ${service}`)
    this.#rebooting.add(service)
    await this.#end(found, hard)
  }

  /** Lets go of everything without touching what runs. */
  leave(): void {
    this.#boot.abort()
    this.#forwarder.close()
    this.#relay.close()
    for (const watch of this.#health.values()) watch.close()
    for (const service of this.#services.values()) {
      service.run?.leave()
      service.close()
    }
  }

  #advance(): void {
    const { phase } = this.#state
    if (phase !== 'pending' && phase !== 'running') return
    const launches = servicesOf(this.#parts.spec)
    for (const name of mayStart(launches, this.#state.services, other => this.#isReady(other)))
      if (!this.#services.get(name)!.isBusy) void this.#begin(this.#services.get(name)!)
  }

  async #begin(service: Service): Promise<void> {
    const boot = this.#boot.signal
    service.isBusy = true
    try {
      const failures = this.#failures.get(service.name)
      if (failures !== undefined) await this.#parts.context.world.sleep(backoff(failures), boot)
      boot.throwIfAborted()
      const { run, mark } = await service.start(this.#network())
      // Kept before it is waited for: whoever comes after us must know that it is there.
      this.#setService(service.name, { run: mark })
      if (boot.aborted) run.kill()
      this.#attend(service, run, mark)
    } catch (error) {
      if (!boot.aborted) this.#failed(service, (error as Error).message)
    } finally {
      service.isBusy = false
    }
  }

  /** Follows a process from here to its end. */
  #attend(service: Service, run: Run, mark: RunMark): void {
    void run.started().then(async isRunning => {
      // It may be over already.
      if (!isRunning || service.run !== run) return
      this.#setService(service.name, { run: { ...mark, first: run.first }, state: 'running', reason: undefined })
      this.#watchHealth(service)
      if (this.#state.phase === 'pending') await this.#openPorts()
      if (service === this.main && this.#state.phase === 'pending') this.#keep({ phase: 'running', reason: undefined })
      else this.#changed()
      this.#advance()
    })
    void run.ended.then(ending => this.#ended(service, mark, ending))
  }

  #ended(service: Service, mark: RunMark, ending: Ending): void {
    const { world } = this.#parts.context
    service.forget()
    this.#health.get(service.name)?.close()
    this.#health.delete(service.name)
    const code = ending.code
    const reason = ending.oom ? 'OOMKilled' : code === undefined ? 'Lost' : code === 0 ? 'Completed' : 'Error'
    const state = this.#state.services[service.name]!
    const over = { run: undefined, exitCode: code, reason }
    const isUp = this.#state.phase === 'pending' || this.#state.phase === 'running'
    const wasAsked = this.#rebooting.delete(service.name)
    if (isUp && (wasAsked || isRestarted(service.launch, code))) {
      const isSteady = wasAsked || world.now() - mark.startedAt >= steady
      if (isSteady) this.#failures.delete(service.name)
      else this.#failures.set(service.name, (this.#failures.get(service.name) ?? -1) + 1)
      this.#setService(service.name, { ...over, state: 'waiting', restarts: state.restarts + 1 })
      this.#changed()
      this.#advance()
      return
    }
    this.#setService(service.name, { ...over, state: 'exited' })
    if (isUp) this.#settle(service, code, reason)
    else this.#changed()
  }

  /** A service has ended for good while the instance was to run. */
  #settle(service: Service, code: number | undefined, reason: string): void {
    const { role } = service.launch
    if (role === 'main' || (role === 'init' && code !== 0)) {
      const how = code === undefined ? 'ended, nobody knows how' : `exited with code ${code}`
      void this.stop(false, `${reason}: ${service.name} ${how}`)
      return
    }
    this.#changed()
    this.#advance()
  }

  /** It could not even be started: no other try will go better. */
  #failed(service: Service, why: string): void {
    this.#setService(service.name, { state: 'exited', reason: why })
    void this.stop(true, why)
  }

  async #wind(): Promise<void> {
    this.#boot.abort()
    const launches = servicesOf(this.#parts.spec)
    for (const names of stopOrder(launches))
      await Promise.all(names.map(name => this.#end(this.#services.get(name)!, this.#state.phase === 'terminating')))
    this.#forwarder.close()
    this.#relay.close()
    this.#ports = false
    for (const service of this.#services.values()) {
      service.close()
      await this.#removeGroup(service)
    }
    rmSync(join(this.#parts.context.place.stage, this.id), { recursive: true, force: true })
    if (this.#state.phase !== 'terminating') this.#keep({ phase: 'stopped' }, true)
  }

  async #end(service: Service, hard: boolean): Promise<void> {
    const { world } = this.#parts.context
    while (service.isBusy) await world.sleep(millis(2))
    const { run } = service
    if (!run) return
    const done = new AbortController()
    if (hard) run.kill()
    else {
      run.terminate()
      world.sleep(seconds(service.launch.stopGraceSeconds), done.signal).then(
        () => run.kill(),
        () => {},
      )
    }
    await run.ended
    done.abort()
  }

  async #removeGroup(service: Service): Promise<void> {
    // What was killed takes a moment to leave its group.
    for (let pause = 1; service.cgroup && !service.cgroup.remove(); pause = Math.min(pause * 2, 100)) {
      service.cgroup.kill()
      await this.#parts.context.world.sleep(millis(pause))
    }
  }

  #watchHealth(service: Service): void {
    const ports = this.#state.ports.filter(port => port.service === service.name)
    const port = (name: string) => ports.find(each => each.name === name)?.inner ?? 0
    const onChange = () => {
      this.#changed()
      this.#advance()
    }
    const { world } = this.#parts.context
    this.#health.get(service.name)?.close()
    this.#health.set(service.name, new HealthWatch({ world, service, relay: this.#relay, port, onChange }))
  }

  #isReady(name: string): boolean {
    if (this.#state.services[name]?.state !== 'running') return false
    const health = this.#health.get(name)?.health
    return health === undefined || health === 'healthy'
  }

  async #openPorts(): Promise<void> {
    const { settings } = this.#parts.context
    if (this.#state.ports.length === 0 || this.#ports) return
    this.#ports = true
    // With nothing around them services listen on the machine itself.
    const isDirect = settings.level === 'none'
    const ports = isDirect
      ? this.#state.ports.map(port => ({ ...port, outer: port.inner }))
      : await this.#forwarder.open(this.#state.ports)
    this.#keep({ ports })
  }

  /** A process in the network that its services share; undefined when none of them runs. */
  #network(): number | undefined {
    for (const { run } of this.#services.values()) if (run?.first && isAlive(run.first)) return run.first.pid
    return undefined
  }

  #setService(name: string, change: Partial<ServiceState>): void {
    const state = { ...this.#state.services[name]!, ...change }
    this.#write({ ...this.#state, services: { ...this.#state.services, [name]: state } }, false)
  }

  #keep(change: Partial<KeptState>, synced = false): void {
    this.#write({ ...this.#state, ...change }, synced)
    this.#changed()
  }

  #write(state: KeptState, synced: boolean): void {
    this.#state = state
    writeWhole(this.#parts.context.place.instance(this.id, 'state.json'), state, { synced })
  }

  #changed(): void {
    this.#parts.onChange(this, false)
  }
}
