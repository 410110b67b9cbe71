import { type Duration, VirtualWorld, type World } from '@stead/world'
import type { ChangeSetBuilder } from '../change-set-builder.ts'
import { changeSet } from '../change-set-builder.ts'
import { type Engine, type EngineOptions, startEngine } from '../engine.ts'
import { createMetrics, type MetricsRegistry } from '../metrics/index.ts'
import type { Logger } from '../words/logger.ts'
import { InProcessStore } from './in-process-store.ts'
import { type Widget, widgets } from './widgets.ts'

export interface TestNode {
  readonly engine: Engine
  readonly metrics: MetricsRegistry
  readonly log: { level: string; message: string; fields: Record<string, unknown> }[]
}

/** A store and the nodes on it, on a virtual clock. */
export class House {
  readonly world: VirtualWorld
  readonly store: InProcessStore

  constructor(seed = 1) {
    this.world = new VirtualWorld({ seed })
    this.store = new InProcessStore(this.world)
  }

  /** Starts a node and waits until it has loaded and holds its shards. */
  async start(options: Partial<EngineOptions> = {}, world: World = this.world.node()): Promise<TestNode> {
    const metrics = createMetrics()
    const log: TestNode['log'] = []
    const line = (level: string) => (fields: object, message: string) =>
      void log.push({ level, message, fields: fields as Record<string, unknown> })
    const logger: Logger = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') }
    const engine = startEngine({ store: this.store, world, metrics, log: logger, ...options })
    await this.world.run(engine.loaded)
    await this.world.runFor(20 as Duration)
    return { engine, metrics, log }
  }

  async commit(build: (set: ChangeSetBuilder) => unknown): Promise<void> {
    const set = changeSet(this.world)
    build(set)
    await this.world.run(this.store.commit(set))
  }
}

export const readWidget = ({ engine }: TestNode, id: string): Widget | undefined =>
  engine.cache.platform().get(widgets, id)

/** The value of one line of the exposition. */
export function metric({ metrics }: TestNode, series: string): number | undefined {
  const line = metrics
    .expose()
    .split('\n')
    .find(text => text.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length + 1))
}
