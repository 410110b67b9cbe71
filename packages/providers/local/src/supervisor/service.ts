import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expand, portVariable, type ServiceLaunch } from '@stead/provider-kit'
import { millis, seconds } from '@stead/world'
import type { Cgroup, Limits } from '../cgroups/index.ts'
import { PipeReader } from '../logs/pipe.ts'
import { LogWriter } from '../logs/writer.ts'
import type { Target } from '../sandbox/enter.ts'
import { baseEnvironment } from '../sandbox/environment.ts'
import type { Ids } from '../sandbox/paths.ts'
import { hostHome } from '../sandbox/plan.ts'
import type { Context } from './context.ts'
import { furnish, hostImage, innerIds, rewriteFiles } from './furnish.ts'
import { Run, type RunParts } from './run.ts'
import type { RunMark } from './state.ts'

export interface ServiceOptions {
  readonly instance: string
  readonly name: string
  readonly launch: ServiceLaunch
  readonly outer: Ids | undefined
  /** `PORT_…` of every service of the instance. */
  readonly ports: Readonly<Record<string, string>>
}

const streams = ['stdout', 'stderr'] as const

/** One service of an instance: starts its processes, one at a time, and knows the one that runs. */
export class Service {
  readonly #context: Context
  #options: ServiceOptions
  readonly #cgroup: Cgroup | undefined
  #log: LogWriter | undefined
  #run: Run | undefined
  /** The process whose memory is watched. */
  #watchedFor: Run | undefined
  /** It is being started, or waits to be. */
  isBusy = false

  constructor(context: Context, options: ServiceOptions) {
    this.#context = context
    this.#options = options
    this.#cgroup = context.cgroups.group(`${options.instance}.${options.name}`)
  }

  get name(): string {
    return this.#options.name
  }

  get launch(): ServiceLaunch {
    return this.#options.launch
  }

  /** Is launched as this from now on; what runs has its limits at once. Throws when the kernel refuses those. */
  outfit(launch: ServiceLaunch): void {
    this.#options = { ...this.#options, launch }
    this.#cgroup?.change(this.#limits)
    if (this.#run) this.#watchMemory(this.#run, this.#cgroup?.oomKills() ?? 0)
  }

  /** Gives what runs the files it is told of by a signal, and tells it. False when only a new start can do that. */
  reload(): boolean {
    const { instance, name, launch } = this.#options
    const { place } = this.#context
    if (!rewriteFiles(join(place.stage, instance, name), launch.files)) return false
    for (const signal of new Set(launch.files.flatMap(file => file.signal ?? []))) this.#run?.signal(signal)
    return true
  }

  get run(): Run | undefined {
    return this.#run
  }

  get cgroup(): Cgroup | undefined {
    return this.#cgroup
  }

  get env(): Record<string, string> {
    const { launch, ports } = this.#options
    const home = this.#home
    return { ...baseEnvironment(home), ...ports, ...launch.env, ...launch.secretEnv }
  }

  /** Where it starts, and where exec does. */
  get directory(): string {
    return this.#home
  }

  /** Something to run other things in; undefined while it does not run. */
  get target(): Target | undefined {
    const { level } = this.#context.settings
    const pid = level === 'full' ? this.#run?.first?.pid : this.#run?.command
    return pid === undefined ? undefined : { level, pid, outer: this.#options.outer }
  }

  /** Starts it, so far that it waits to begin. What it is not told in time is told by its run. */
  async start(networkOf: number | undefined): Promise<{ run: Run; mark: RunMark }> {
    const { world, place, start } = this.#context
    const { instance, launch, outer } = this.#options
    mkdirSync(this.#path(), { recursive: true, mode: 0o700 })
    await Promise.all(streams.map(stream => place.pipe(this.#path(stream), outer)))
    const plan = await furnish(this.#context, this.#options)
    this.#cgroup?.make(this.#limits)
    const oomKills = this.#cgroup?.oomKills() ?? 0
    writeFileSync(this.#path('status'), '', { mode: 0o600 })
    const parts = this.#parts(oomKills)
    try {
      const started = await start({
        command: this.#command(),
        env: this.env,
        plan,
        directory: this.directory,
        hostname: instance.slice(0, 63),
        outer,
        inner: innerIds(launch),
        cgroup: this.#cgroup,
        run: this.#path(),
        networkOf,
      })
      const { monitor } = started
      return {
        run: this.#watched(new Run(parts, { monitor, started }), oomKills),
        mark: { monitor, first: undefined, startedAt: world.now(), oomKills },
      }
    } catch (error) {
      for (const reader of parts.readers) reader.close()
      throw error
    }
  }

  /** Takes over a process that a supervisor before us started. */
  adopt({ monitor, first, oomKills }: RunMark): Run {
    return this.#watched(new Run(this.#parts(oomKills), { monitor, first }), oomKills)
  }

  #watched(run: Run, oomKills: number): Run {
    this.#run = run
    this.#watchMemory(run, oomKills)
    return run
  }

  /** From now to its end, if it may run out of memory at all. */
  #watchMemory(run: Run, oomKills: number): void {
    if (!this.#cgroup || this.launch.resources.memoryMiB === undefined || this.#watchedFor === run) return
    this.#watchedFor = run
    const forget = this.#context.memory.watch({ cgroup: this.#cgroup, oomKills, onKill: () => run.kill() })
    void run.ended.then(forget)
  }

  /** Ends its process: asks first and kills when the grace is over, or kills at once. */
  async end(hard: boolean): Promise<void> {
    const { world } = this.#context
    while (this.isBusy) await world.sleep(millis(2))
    const run = this.#run
    if (!run) return
    const done = new AbortController()
    if (hard) run.kill()
    else {
      run.terminate()
      world.sleep(seconds(this.launch.stopGraceSeconds), done.signal).then(
        () => run.kill(),
        () => {},
      )
    }
    await run.ended
    done.abort()
  }

  async removeGroup(): Promise<void> {
    // What was killed takes a moment to leave its group.
    for (let pause = 1; this.#cgroup && !this.#cgroup.remove(); pause = Math.min(pause * 2, 100)) {
      this.#cgroup.kill()
      await this.#context.world.sleep(millis(pause))
    }
  }

  /** Moves a process that entered it from outside, with what it has started by now, into its group. */
  join(pid: number): void {
    this.#cgroup?.addTree(pid)
  }

  /** Its process has ended and is forgotten. */
  forget(): void {
    this.#run = undefined
  }

  /** Lets go of its files. */
  close(): void {
    this.#log?.close()
    this.#log = undefined
  }

  #parts(oomKills: number): RunParts {
    const { world, arrivals, settings, place } = this.#context
    this.#log ??= new LogWriter(world, place.instance(this.#options.instance, 'logs', this.name))
    const log = this.#log
    const readers = streams.map(stream => {
      const reader = new PipeReader(this.#path(stream), chunk => log.write(stream, chunk))
      void reader.ended.then(() => log.endOf(stream))
      return reader
    })
    const statusFile = this.#path('status')
    return { world, arrivals, level: settings.level, cgroup: this.#cgroup, readers, statusFile, oomKills }
  }

  get #limits(): Limits {
    const { cpuMillis, memoryMiB } = this.launch.resources
    return { cpuMillis, memoryMiB, pids: this.#context.settings.pidsLimit }
  }

  #path(...parts: readonly string[]): string {
    return join(this.#context.place.instance(this.#options.instance, 'run'), this.name, ...parts)
  }

  get #home(): string {
    const { settings, place } = this.#context
    const { instance, launch, name } = this.#options
    if (settings.level === 'none') return place.instance(instance, 'disks', name)
    return launch.image === hostImage ? hostHome : '/'
  }

  #command(): string[] {
    const { command = [], args = [] } = this.#options.launch
    const env = this.env
    return [...command, ...args].map(word => expand(word, env))
  }
}

export const portEnvironment = (
  ports: readonly { readonly name: string; readonly inner: number }[],
): Record<string, string> => Object.fromEntries(ports.map(({ name, inner }) => [portVariable(name), String(inner)]))
