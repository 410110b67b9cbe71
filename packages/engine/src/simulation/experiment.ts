import { inspect } from 'node:util'
import { type Duration, hours, seconds, VirtualWorld } from '@stead/world'
import type { Index } from '../cache/index.ts'
import type { Controller, WorkQueue } from '../controllers/index.ts'
import { startEngine } from '../engine.ts'
import { silentLogger } from '../words/logger.ts'
import { Cluster, type ClusterParts, type NodeContext, type NodeProgram } from './cluster.ts'
import type { EngineFault } from './engine-faults.ts'
import { EngineWatch } from './engine-watch.ts'
import { type FaultKind, type FaultMix, type FaultReport, Faults, type ScriptedFault } from './faults.ts'
import { loosenGremlins } from './gremlins.ts'
import { Ledger } from './ledger.ts'
import { Requests } from './requests.ts'
import { Subscriber } from './subscriber.ts'
import { Trace } from './trace.ts'
import { type EngineInvariant, type Violation, Violations } from './violations.ts'

/** Everything a domain can see and use of the run it is part of. */
export interface Stage<Fault extends string = never, Invariant extends string = never> {
  readonly world: VirtualWorld
  readonly cluster: Cluster
  readonly ledger: Ledger
  readonly trace: Trace
  readonly faults: Faults<EngineFault | Fault>
  readonly violations: Violations<EngineInvariant | Invariant>
  readonly watch: EngineWatch
  readonly requests: Requests
}

/** Something that users do, and how that is to end. */
export interface Act {
  /** Everything users do. Resolves when they have all they wanted. */
  users(): Promise<void>
  /** Nothing is under way any more. */
  isSettled(): boolean
  /** What keeps it from being settled, in words. Asked when it should be by now. */
  missing?(): string | undefined
}

/** What the engine is used for in an experiment. */
export interface Domain extends Act {
  controllers(context: NodeContext): readonly Controller[]
  readonly indexes?: readonly Index[]
  /** Disturbs and checks what is not the engine's. */
  eachSecond(): void
  /** Checks what must hold of the domain after every batch of commits. */
  synced(): void
  /** From here on nothing may go wrong any more. */
  calm?(): void
  /** What is left, without what may differ between two runs: ids, times, revisions. */
  endState(): string
  /** What follows once all has come to rest. What is left is asked for before. */
  readonly farewell?: Act
}

export interface ExperimentParts extends ClusterParts {
  readonly Queue?: typeof WorkQueue
}

export interface ExperimentOptions<Fault extends string, Invariant extends string> {
  readonly seed: number
  readonly nodes: number
  readonly catalogue: Readonly<Record<EngineFault | Fault, FaultKind>>
  /** How likely faults are. Without it the run is calm but for its script, and ends as soon as it has settled. */
  readonly mix?: FaultMix<EngineFault | Fault>
  readonly script?: readonly ScriptedFault<EngineFault | Fault>[]
  readonly print?: (line: string) => void
  readonly parts?: ExperimentParts
  /** How long everything may take to come right; a quarter of an hour unless what is tried takes longer by itself. */
  readonly settleLimit?: Duration
  readonly domain: (stage: Stage<Fault, Invariant>) => Domain
}

export interface Outcome<Fault extends string = string, Invariant extends string = string> {
  readonly violation?: Violation<EngineInvariant | Invariant>
  readonly endState: string
  readonly faults: FaultReport<EngineFault | Fault>
  readonly traceHash: string
  readonly steps: number
  readonly virtualSeconds: number
}

/** How long things go wrong. After that they must come right. */
const hostileTime = seconds(50)
/** The longest fault and the longest backoff that can have built up by then fit into this several times. */
const settleLimit = seconds(900)
/** Longer than the latest effect of a call that was given up. */
const restTime = seconds(45)
const shortRestTime = seconds(15)
const stopLimit = seconds(60)

/** One run: nodes, users and faults; then calm, in which all must come right; then rest, in which nothing may happen. */
export class Experiment<Fault extends string = never, Invariant extends string = never> {
  readonly #options: ExperimentOptions<Fault, Invariant>
  readonly #stage: Stage<Fault, Invariant>
  readonly #domain: Domain
  readonly #subscriber: Subscriber
  #act: Act
  #usersDone = false
  #settled = false
  #endState: string | undefined
  #steps = 0

  constructor(options: ExperimentOptions<Fault, Invariant>) {
    const { seed, nodes: size, catalogue, mix, script = [], print, parts = {} } = options
    const world = new VirtualWorld({ seed })
    const trace = new Trace(world, print)
    const violations = new Violations<EngineInvariant | Invariant>()
    const ledger = new Ledger(violations)
    const faults = new Faults({ random: world.chance.fork('faults'), catalogue, mix, script })
    const boot = (context: NodeContext) => this.#boot(context)
    const cluster = new Cluster({ world, trace, faults, violations, ledger, size, parts, boot })
    const watch = new EngineWatch({ world, cluster, ledger, trace, violations })
    const requests = new Requests({ world, cluster, trace, violations })
    this.#options = options
    this.#stage = { world, cluster, ledger, trace, faults, violations, watch, requests }
    this.#domain = options.domain(this.#stage)
    this.#act = this.#domain
    this.#subscriber = new Subscriber(this.#stage)
    cluster.database.listeners.add(() => this.#domain.synced())
  }

  async run(): Promise<Outcome<Fault, Invariant>> {
    const { world, cluster, faults, trace, violations } = this.#stage
    const start = world.time
    try {
      await this.#live()
      return {
        ...(violations.first && { violation: violations.first }),
        endState: this.#endState ?? this.#domain.endState(),
        faults: faults.report,
        traceHash: trace.hash(),
        steps: this.#steps,
        virtualSeconds: (world.time - start) / 1_000,
      }
    } finally {
      cluster.close()
    }
  }

  async #live(): Promise<void> {
    const { cluster, ledger, violations } = this.#stage
    const isHostile = this.#options.mix !== undefined
    cluster.start()
    loosenGremlins({ ...this.#stage, alsoEachSecond: () => this.#eachSecond() })
    this.#begin(this.#domain)
    void this.#subscriber.follow()
    await this.#until(() => !isHostile && this.#settled, hostileTime)
    this.#calm()
    await this.#settle()
    const { head } = ledger
    await this.#until(() => false, isHostile ? restTime : shortRestTime)
    violations.check(ledger.head === head, 'rest is rest', () => `the log went from ${head} to ${ledger.head}`)
    await this.#bidFarewell()
    cluster.database.compareWithLedger()
    this.#checkReaders()
    await this.#stop()
  }

  #begin(act: Act): void {
    const { violations } = this.#stage
    this.#act = act
    this.#usersDone = false
    this.#settled = false
    act.users().then(
      () => (this.#usersDone = true),
      error => violations.add('no bug surfaces', `a user failed: ${inspect(error)}`),
    )
  }

  async #settle(): Promise<void> {
    const { violations } = this.#stage
    const settled = await this.#until(() => this.#settled, this.#options.settleLimit ?? settleLimit)
    violations.check(settled, 'everything ends', () => this.#unsettled())
  }

  #unsettled(): string {
    const who = this.#usersDone ? 'it has not settled' : 'users still wait'
    const missing = this.#act.missing?.()
    return missing === undefined ? who : `${who}: ${missing}`
  }

  async #bidFarewell(): Promise<void> {
    const { farewell } = this.#domain
    if (!farewell || this.#stage.violations.first) return
    this.#endState = this.#domain.endState()
    this.#begin(farewell)
    await this.#settle()
    // Whoever reads has then read that, too.
    await this.#until(() => false, seconds(5))
  }

  /** Whoever follows the log has come to its end. */
  #checkReaders(): void {
    const { cluster, ledger, violations } = this.#stage
    const positions = new Map(cluster.nodes.map(({ name, program }) => [name, program?.engine.cache.revision]))
    for (const [who, position] of positions.set('a subscriber', this.#subscriber.position))
      violations.check(position === ledger.head, 'everything ends', () => `${who} reads at ${position}`)
  }

  /** From here on nothing goes wrong any more. */
  #calm(): void {
    const { trace, faults, cluster } = this.#stage
    trace.add('world', 'is calm')
    faults.stop()
    this.#domain.calm?.()
    for (const { store } of cluster.nodes) store?.link.heal()
  }

  #eachSecond(): void {
    this.#domain.eachSecond()
    this.#stage.watch.eachSecond()
    this.#settled = this.#usersDone && this.#act.isSettled()
  }

  /** Steps until this holds; false when the time is over before. Ends early when something is wrong. */
  async #until(holds: () => boolean, limit: Duration): Promise<boolean> {
    const { world, violations } = this.#stage
    // Time in which nothing could happen does not count.
    const end = world.time + limit - world.leapt
    try {
      while (!violations.first && !holds()) {
        if (!(await world.step(end + world.leapt))) return false
        this.#steps++
      }
    } catch (error) {
      violations.add('no bug surfaces', inspect(error))
    }
    return true
  }

  /** Every node goes down in good order, and lets go of what it holds. */
  async #stop(): Promise<void> {
    const { cluster, violations } = this.#stage
    let stopped = false
    Promise.all(cluster.nodes.map(({ program }) => program?.engine.stop())).then(
      () => (stopped = true),
      error => violations.add('no bug surfaces', `a node failed to stop: ${inspect(error)}`),
    )
    const inTime = await this.#until(() => stopped, stopLimit)
    violations.check(inTime, 'everything ends', () => 'a node does not stop')
    const held = [...cluster.database.leasesHeld().keys()]
    violations.check(held.length === 0, 'everything ends', () => `nobody let go of ${held.join(', ')}`)
  }

  async #boot(context: NodeContext): Promise<NodeProgram> {
    const { violations, watch } = this.#stage
    const { parts: { Queue } = {} } = this.#options
    const { name, world, store } = context
    const error = (fields: object, message: string) =>
      violations.add('no bug surfaces', `${name} says: ${message}: ${inspect(fields)}`)
    const engine = startEngine({
      store,
      world,
      nodeId: name,
      controllers: this.#domain.controllers(context).map(controller => watch.watched(controller, world)),
      // Looking at everything again from time to time would hide a wake-up that was lost.
      resyncEvery: hours(1_000),
      log: { ...silentLogger, error },
      indexes: this.#domain.indexes ?? [],
      ...(Queue && { Queue }),
    })
    await engine.loaded
    return {
      engine,
      store,
      commit: (set, options) => {
        watch.fromOutside(set.id)
        return engine.commit(set, options)
      },
    }
  }
}
