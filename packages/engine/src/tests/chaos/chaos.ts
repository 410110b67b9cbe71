import { setTimeout as sleep } from 'node:timers/promises'
import { PostgresCluster } from '@stead/testing'
import { newId, realWorld, seconds } from '@stead/world'
import { changeSet } from '../../change-set-builder.ts'
import { openPostgresStore } from '../../postgres/open-store.ts'
import { createGadget, deleteGadget } from '../../simulation/example/gadgets/api.ts'
import { type Gadget, gadgetQuota } from '../../simulation/example/gadgets/model.ts'
import { tokenOf, type Widget, widgetQuota } from '../../simulation/example/widgets/model.ts'
import { workshopId, workshops } from '../../simulation/example/workshop/model.ts'
import { ConflictError, UnavailableError } from '../../words/errors.ts'
import { refKey } from '../../words/object.ts'
import type { Store } from '../../words/store.ts'
import { ChaosNode } from './chaos-node.ts'
import { OutsideServer } from './outside-server.ts'
import { Witness } from './witness.ts'

export interface ChaosOptions {
  readonly nodes: number
  readonly gadgets: number
  readonly widgetsEach: number
  /** How long things are broken on purpose. */
  readonly duration: number
}

const between = (least: number, most: number) => least + realWorld.random() * (most - least)
/** Short, so that a minute sees many take-overs. */
const lease = { leaseTtl: 4_000, renewEvery: 1_000 }

/** Several nodes on one PostgreSQL, a user who creates and deletes, and everything that can be broken while they do. */
export class Chaos {
  private readonly options: ChaosOptions
  private readonly cluster: PostgresCluster
  private readonly store: Store
  private readonly witness: Witness
  private readonly outside: OutsideServer
  private readonly nodes: readonly ChaosNode[]
  private readonly created = new Map<string, string>()
  private readonly deleted = new Set<string>()
  /** What was broken on purpose. */
  readonly done = { databaseRestarts: 0, kills: 0, stalls: 0 }
  /** Commits that found no database within their deadline: none where it is back sooner each time. */
  refusedCommits = 0

  private constructor(parts: {
    options: ChaosOptions
    cluster: PostgresCluster
    store: Store
    outside: OutsideServer
    nodes: readonly ChaosNode[]
  }) {
    this.options = parts.options
    this.cluster = parts.cluster
    this.store = parts.store
    this.outside = parts.outside
    this.nodes = parts.nodes
    this.witness = new Witness(parts.store)
  }

  static async start(options: ChaosOptions): Promise<Chaos> {
    const cluster = await PostgresCluster.start({ edition: 'embedded postgresql', fsync: true })
    const outside = new OutsideServer({ lostReplies: 3, slowest: 20 })
    const url = await outside.start()
    const store = await openPostgresStore({ url: cluster.url(), world: realWorld, poolSize: 4 })
    await store.commit(
      changeSet(realWorld).create({
        kind: workshops,
        id: workshopId,
        labels: {},
        finalizers: [],
        createdAt: realWorld.now(),
        spec: {},
        status: {},
      }),
    )
    const nodes = Array.from(
      { length: options.nodes },
      () => new ChaosNode({ database: cluster.url(), outside: url, ...lease }),
    )
    await Promise.all(nodes.map(node => node.ready()))
    return new Chaos({ options, cluster, store, outside, nodes })
  }

  /** Breaks things for as long as it was asked to, while the user works. */
  async run(): Promise<void> {
    const ends = realWorld.monotonic() + this.options.duration
    await Promise.all([
      this.work(ends),
      this.bounceDatabase(ends),
      ...this.nodes.map(node => this.tormentNode(node, ends)),
    ])
  }

  private async work(ends: number): Promise<void> {
    const pause = (this.options.duration * 0.8) / this.options.gadgets
    const writers = Array.from({ length: 8 }, async () => {
      while (this.created.size < this.options.gadgets) {
        const id = newId(realWorld, 'gad')
        this.created.set(id, 'asked')
        await this.create(id)
        if (realWorld.random() < 0.1) await this.remove(id)
        if (realWorld.monotonic() < ends) await sleep(pause * 8 * realWorld.random())
      }
    })
    await Promise.all(writers)
  }

  /** Until it is known to be there: a refusal for want of an answer is asked about, never guessed. */
  private async create(id: string): Promise<void> {
    const spec = { widgets: this.options.widgetsEach, color: 'red' }
    for (;;)
      try {
        await this.store.commit(createGadget(realWorld, { id, name: id, spec }), { timeout: seconds(3) })
        break
      } catch (error) {
        // Taken by an earlier try of ours whose answer did not come in time.
        if (error instanceof ConflictError && error.conflict.type === 'absent') break
        if (!(error instanceof UnavailableError)) throw error
        this.refusedCommits++
      }
    this.created.set(id, 'acknowledged')
  }

  private async remove(id: string): Promise<void> {
    for (;;) {
      const gadget = this.witness.objects.get(`gadget/${id}`) as Gadget | undefined
      if (gadget?.deletedAt !== undefined) break
      try {
        if (gadget) {
          await this.store.commit(deleteGadget(realWorld, gadget), { timeout: seconds(3) })
          break
        }
      } catch (error) {
        if (!(error instanceof ConflictError || error instanceof UnavailableError)) throw error
      }
      await sleep(50)
    }
    this.deleted.add(id)
  }

  private async bounceDatabase(ends: number): Promise<void> {
    for (;;) {
      await sleep(between(5_000, 10_000))
      if (realWorld.monotonic() > ends) return
      await this.cluster.shutdown(realWorld.random() < 0.5 ? 'fast' : 'immediate')
      await sleep(between(0, 2_000))
      await this.cluster.start()
      this.done.databaseRestarts++
    }
  }

  private async tormentNode(node: ChaosNode, ends: number): Promise<void> {
    for (;;) {
      await sleep(between(3_000, 9_000))
      if (realWorld.monotonic() > ends) return
      if (realWorld.random() < 0.5) {
        await node.end('SIGKILL')
        this.done.kills++
        await sleep(between(0, 2_000))
        node.launch()
      } else {
        // Sometimes shorter than a lease, sometimes long enough for others to have taken over.
        node.signal('SIGSTOP')
        await sleep(between(1_000, 7_000))
        node.signal('SIGCONT')
        this.done.stalls++
      }
    }
  }

  /** Waits until everything that was asked for is as it was asked for; says what is not when the time is up. */
  async settle(limit: number): Promise<readonly string[]> {
    const ends = realWorld.monotonic() + limit
    for (;;) {
      const open = this.unsettled()
      // What is as it should be is still followed by a last round of looking at it: the log must have come to rest.
      if (open.length === 0 || realWorld.monotonic() > ends) return sleep(1_500, open)
      await sleep(200)
    }
  }

  private unsettled(): readonly string[] {
    const expected = [...this.created.keys()].filter(id => !this.deleted.has(id))
    const open = expected.flatMap(id => {
      const gadget = this.witness.objects.get(`gadget/${id}`) as Gadget | undefined
      if (!gadget) return [`${id} is lost`]
      const { ready, observedGeneration } = gadget.status
      return ready === this.options.widgetsEach && observedGeneration === gadget.generation
        ? []
        : [`${id} has ${ready}`]
    })
    const left = [...this.deleted].filter(id => this.witness.objects.has(`gadget/${id}`))
    return [...open, ...left.map(id => `${id} is still there`)]
  }

  /** Everything that must be true in the end. */
  async violations(): Promise<readonly string[]> {
    const found = [...this.witness.violations, ...this.outside.violations]
    const widgets = [...this.witness.objects.values()].filter(({ kind }) => kind === 'widget') as unknown as Widget[]
    const expected = (this.created.size - this.deleted.size) * this.options.widgetsEach
    if (widgets.length !== expected) found.push(`${widgets.length} widgets where ${expected} belong`)
    const live = new Set(this.outside.liveThings().map(({ token }) => token))
    for (const widget of widgets) if (!live.delete(tokenOf(widget))) found.push(`${widget.id} is not there outside`)
    for (const token of live) found.push(`${token} is there outside and nobody's`)
    await this.compareCounters(found, widgets.length)
    await this.compareSnapshot(found)
    return found
  }

  private async compareCounters(found: string[], widgets: number): Promise<void> {
    const expected: Record<string, number> = {
      [gadgetQuota]: this.created.size - this.deleted.size,
      [widgetQuota]: widgets,
    }
    for (const { counter, value } of await this.store.counters('quota/'))
      if (value !== expected[counter]) found.push(`${counter} is ${value}, but ${expected[counter]} are there`)
  }

  private async compareSnapshot(found: string[]): Promise<void> {
    const { revision, objects } = await this.store.snapshot()
    const stored = new Map<string, number>()
    for await (const chunk of objects) for (const object of chunk) stored.set(refKey(object), object.revision)
    if (revision !== this.witness.revision)
      found.push(`the log ends at ${this.witness.revision}, the store at ${revision}`)
    for (const [key, object] of this.witness.objects)
      if (stored.get(key) !== object.revision)
        found.push(`${key} is at ${stored.get(key)}, the log said ${object.revision}`)
    if (stored.size !== this.witness.objects.size)
      found.push(`${stored.size} objects, ${this.witness.objects.size} in the log`)
  }

  get objects(): number {
    return this.witness.objects.size
  }

  get outsideCalls(): { readonly calls: number; readonly lostReplies: number } {
    return this.outside
  }

  complaints(): string {
    return this.nodes.map(node => node.complaints).join('')
  }

  /** Every node stops as it should when asked to. */
  async stop(): Promise<readonly (number | null)[]> {
    const codes = await Promise.all(this.nodes.map(node => node.end('SIGTERM')))
    await this.witness.stop()
    await this.store.close()
    this.outside.stop()
    await this.cluster.stop()
    return codes
  }

  /** Whatever state it is in. */
  async abandon(): Promise<void> {
    await Promise.all(this.nodes.map(node => node.end('SIGKILL')))
    this.outside.stop()
    await this.cluster.stop()
  }
}
