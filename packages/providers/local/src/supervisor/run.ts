import { existsSync, readFileSync, readlinkSync, watch } from 'node:fs'
import { millis, seconds, type World } from '@stead/world'
import type { Cgroup } from '../cgroups/index.ts'
import type { PipeReader } from '../logs/pipe.ts'
import type { Isolation } from '../machine/levels.ts'
import { childrenOf, innerPid, isAlive, killTree, markOf, type ProcessMark, signal } from '../machine/processes.ts'
import type { Started } from '../sandbox/start.ts'
import type { Arrivals } from './arrivals.ts'

export interface Ending {
  /** 128 + its number for a signal; undefined when nobody saw how it ended. */
  readonly code: number | undefined
  readonly oom: boolean
}

export interface RunParts {
  readonly world: World
  readonly arrivals: Arrivals
  readonly level: Isolation
  readonly cgroup: Cgroup | undefined
  /** Of what it prints. Open before it begins: of who came and went before, nobody is told. */
  readonly readers: readonly PipeReader[]
  readonly statusFile: string
  readonly oomKills: number
}

export interface RunOrigin {
  readonly monitor: ProcessMark
  /** Of one that we started. */
  readonly started?: Started
  readonly first?: ProcessMark | undefined
}

/** One process of a service from its start, or from when we took it over, to its end. */
export class Run {
  readonly #parts: RunParts
  readonly monitor: ProcessMark
  readonly #started: Started | undefined
  readonly #over = new AbortController()
  readonly #silent: Promise<unknown>
  #first: ProcessMark | undefined
  readonly ended: Promise<Ending>

  /** `started` is ours; one without was started by a supervisor before us. */
  constructor(parts: RunParts, { monitor, started, first }: RunOrigin) {
    this.#parts = parts
    this.monitor = monitor
    this.#started = started
    this.#first = first
    this.#silent = Promise.all(parts.readers.map(reader => reader.ended))
    this.ended = this.#untilEnded()
  }

  /** Lets it begin, once it is kept who it is. */
  begin(): void {
    this.#started?.begin()
  }

  get first(): ProcessMark | undefined {
    return this.#first
  }

  /** Resolves to whether it came to run: false when it ended before that. */
  async started(): Promise<boolean> {
    if (this.#first) return true
    const said = await this.#recorded(/"child-pid": (\d+)/)
    if (said === undefined) return false
    const first = markOf(said || this.#firstBelow())
    const isInside = arrived[this.#parts.level]
    // Whoever ends before that ends its monitor.
    if (first) await this.#parts.arrivals.until(() => isInside(first.pid) || this.#over.signal.aborted)
    this.#first = first
    return first !== undefined
  }

  /** The process the tenant asked for; the ones around it are ours. */
  get command(): number | undefined {
    const first = this.#first
    if (!first || !isAlive(first)) return undefined
    if (this.#parts.level === 'none') return first.pid
    const children = childrenOf(first.pid)
    return children.find(pid => innerPid(pid) === 2) ?? children[0]
  }

  /** Asks it to end. */
  terminate(): void {
    this.signal('SIGTERM')
  }

  signal(name: string): void {
    const pid = this.command
    if (pid !== undefined) signal(pid, name as NodeJS.Signals)
  }

  /** Ends it and everything it started. */
  kill(): void {
    const { level } = this.#parts
    if (level !== 'none' && this.#first && isAlive(this.#first)) signal(this.#first.pid, 'SIGKILL')
    else if (isAlive(this.monitor)) {
      // At the other levels it leads a group.
      if (level === 'full') killTree(this.monitor.pid)
      else signal(-this.monitor.pid, 'SIGKILL')
    }
    this.#parts.cgroup?.kill()
  }

  /** Lets go of it without touching it. */
  leave(): void {
    for (const reader of this.#parts.readers) reader.close()
  }

  /** `unshare` does not say which process it made: the shell that records has one child, and that has one. */
  #firstBelow(): number {
    const [unshare = 0] = childrenOf(this.monitor.pid)
    return childrenOf(unshare)[0] ?? 0
  }

  async #untilEnded(): Promise<Ending> {
    const seen = this.#started ? await this.#started.ended(this.#silent) : await this.#untilGone()
    // A monitor that was killed leaves its sandbox behind.
    this.kill()
    await Promise.race([
      this.#silent,
      this.#parts.world.sleep(seconds(1)), // somebody else holds the pipe: what it prints is not the service's
    ])
    this.leave()
    this.#over.abort()
    const recorded = /"exit-code": (\d+)/.exec(this.#status())?.[1]
    const oom = (this.#parts.cgroup?.oomKills() ?? 0) > this.#parts.oomKills
    return { code: recorded === undefined ? seen : Number(recorded), oom }
  }

  /** Of a process that is not our child nobody tells us. Its record does, its pipes do, and a look every second. */
  async #untilGone(): Promise<undefined> {
    const look = async () => {
      while (isAlive(this.monitor)) await this.#parts.world.sleep(millis(1_000))
    }
    await Promise.race([this.#recorded(/"exit-code": (\d+)/), look(), this.#silent.then(look)])
    await this.#parts.arrivals.until(() => !isAlive(this.monitor))
    return undefined
  }

  #status(): string {
    return existsSync(this.#parts.statusFile) ? readFileSync(this.#parts.statusFile, 'utf8') : ''
  }

  /** Reads the record whenever it is written to, until it says this; undefined when the process ended without. */
  #recorded(wanted: RegExp): Promise<number | undefined> {
    const find = () => wanted.exec(this.#status())?.[1]
    return new Promise(resolve => {
      const finish = (found: string | undefined) => {
        watcher.close()
        resolve(found === undefined ? undefined : Number(found))
      }
      const check = () => {
        const found = find()
        if (found !== undefined) finish(found)
      }
      const watcher = watch(this.#parts.statusFile, check)
      watcher.on('error', check)
      this.#over.signal.addEventListener('abort', () => finish(find()), { once: true })
      check()
    })
  }
}

/**
 * Whether the command has left the machine's own files behind, by the first process of its sandbox. Whoever followed it before
 * that would not be inside at all.
 */
const arrived: Readonly<Record<Isolation, (first: number) => boolean>> = {
  // Bubblewrap starts it when everything else is done.
  full: first => childrenOf(first).some(pid => innerPid(pid) === 2),
  basic: first => childrenOf(first).some(pid => rootOf(pid) !== '/'),
  none: () => true,
}

function rootOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/root`)
  } catch {
    return '/'
  }
}
