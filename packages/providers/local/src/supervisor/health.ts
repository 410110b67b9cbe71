import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import type { HealthCheck } from '@stead/provider-kit'
import { seconds, type World } from '@stead/world'
import { ask, type Probe } from '../network/probes.ts'
import type { Relay } from '../network/relay-client.ts'
import { enterWords } from '../sandbox/enter.ts'
import { carryEnvironment } from '../sandbox/environment.ts'
import type { Service } from './service.ts'

export type Health = 'healthy' | 'unhealthy' | 'unknown'

export interface HealthOptions {
  readonly world: World
  readonly service: Service
  readonly relay: Relay
  /** The number of a port of this service, by its name. */
  port(name: string): number
  onChange(): void
}

/** Runs the health checks of one process of a service, each where the service is, until it is closed. */
export class HealthWatch {
  readonly #options: HealthOptions
  readonly #results: Health[]
  readonly #closing = new AbortController()
  #problem: string | undefined

  constructor(options: HealthOptions) {
    this.#options = options
    const checks = options.service.launch.healthChecks
    this.#results = checks.map(() => 'unknown')
    for (const [index, check] of checks.entries()) void this.#watch(check, index).catch(() => {})
  }

  /** Undefined when there are no checks. */
  get health(): Health | undefined {
    if (this.#results.length === 0) return undefined
    if (this.#results.includes('unhealthy')) return 'unhealthy'
    return this.#results.includes('unknown') ? 'unknown' : 'healthy'
  }

  get problem(): string | undefined {
    return this.#problem
  }

  close(): void {
    this.#closing.abort()
  }

  async #watch(check: HealthCheck, index: number): Promise<void> {
    const { world, onChange } = this.#options
    let [good, bad] = [0, 0]
    for (;;) {
      const problem = await this.#try(check)
      this.#closing.signal.throwIfAborted()
      good = problem === undefined ? good + 1 : 0
      bad = problem === undefined ? 0 : bad + 1
      const before = this.#results[index]
      if (good >= check.healthyThreshold) this.#results[index] = 'healthy'
      if (bad >= check.unhealthyThreshold) this.#results[index] = 'unhealthy'
      this.#problem = problem
      if (this.#results[index] !== before) onChange()
      await world.sleep(seconds(check.intervalSeconds), this.#closing.signal)
    }
  }

  /** What is wrong; undefined when nothing is. */
  async #try(check: HealthCheck): Promise<string | undefined> {
    const { service, relay, port } = this.#options
    if (check.type === 'command') return this.#run(check.command, check.timeoutSeconds)
    const probe: Probe =
      check.type === 'http'
        ? { type: 'http', port: port(check.port), path: check.path }
        : check.type === 'grpc'
          ? { type: 'grpc', port: port(check.port), service: check.service ?? '' }
          : { type: 'tcp', port: port(check.port) }
    if (service.target?.level === 'none') return this.#ask(probe, check.timeoutSeconds)
    // The kernel lists who listens there. That answers a tcp check, and spares the others a relay while nobody does.
    const isOpen = await isListening(service.run?.first?.pid, probe.port)
    if (!isOpen) return `nothing listens on port ${probe.port}`
    if (probe.type === 'tcp') return undefined
    return (await relay.ask(probe, check.timeoutSeconds * 1_000)) ?? undefined
  }

  async #ask(probe: Probe, timeoutSeconds: number): Promise<string | undefined> {
    const late = new AbortController()
    const timer = this.#options.world.setTimer(seconds(timeoutSeconds), () =>
      late.abort(new Error('no answer in time')),
    )
    try {
      await ask(probe, AbortSignal.any([late.signal, this.#closing.signal]))
      return undefined
    } catch (error) {
      return (error as Error).message
    } finally {
      timer.cancel()
    }
  }

  #run(command: readonly string[], timeoutSeconds: number): Promise<string | undefined> {
    const { service } = this.#options
    const { target } = service
    if (!target) return Promise.resolve('it does not run')
    const { carried, inside } = carryEnvironment(service.env)
    const words = [
      ...enterWords(target, service.directory),
      ...(inside.length > 0 ? ['env', ...inside] : []),
      ...command,
    ]
    return new Promise(resolve => {
      const child = execFile(
        words[0]!,
        words.slice(1),
        { env: carried, timeout: timeoutSeconds * 1_000, killSignal: 'SIGKILL', signal: this.#closing.signal },
        error => resolve(error ? `the command ended with ${error.code ?? error.signal ?? error.message}` : undefined),
      )
      if (child.pid !== undefined) service.join(child.pid)
    })
  }
}

const listening = '0A'

async function isListening(pid: number | undefined, port: number): Promise<boolean> {
  if (pid === undefined) return false
  const wanted = port.toString(16).toUpperCase().padStart(4, '0')
  for (const table of ['tcp', 'tcp6']) {
    const text = await readFile(`/proc/${pid}/net/${table}`, 'utf8').catch(() => '')
    for (const line of text.split('\n')) {
      const [, local, , state] = line.trim().split(/\s+/)
      if (state === listening && local?.endsWith(`:${wanted}`)) return true
    }
  }
  return false
}
