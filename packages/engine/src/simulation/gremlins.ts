import { millis, seconds, type VirtualWorld } from '@stead/world'
import type { Cluster } from './cluster.ts'
import type { EngineFault } from './engine-faults.ts'
import type { Faults } from './faults.ts'
import type { Ledger } from './ledger.ts'
import type { Trace } from './trace.ts'

export interface GremlinOptions {
  readonly world: VirtualWorld
  readonly cluster: Cluster
  readonly faults: Faults<EngineFault>
  readonly ledger: Ledger
  readonly trace: Trace
  readonly alsoEachSecond: () => void
}

/** How many entries a compaction leaves: fewer than a node that reads late may lack. */
const keptEntries = 4

/** Disturbs a cluster once a second: what can go wrong at any time, and not only at some call. */
export function loosenGremlins(options: GremlinOptions): void {
  const { world, alsoEachSecond } = options
  const again = () => {
    disturbNodes(options)
    disturbDatabase(options)
    alsoEachSecond()
    world.setTimer(seconds(1), again)
  }
  world.setTimer(millis(1_000 * world.chance.next()), again)
}

function disturbNodes({ cluster, faults, trace }: GremlinOptions): void {
  for (const node of cluster.nodes) {
    if (faults.strikes('node-crash')) {
      cluster.kill(node, 'by chance')
      continue
    }
    if (faults.strikes('node-pause')) {
      const length = millis(faults.between('node-pause', 1_000, 30_000))
      trace.add(node.name, `stands still for ${length.toFixed()} ms`)
      node.world.stall(length)
    }
    if (faults.strikes('node-clock-step'))
      node.world.skew = millis(Math.round(faults.between('node-clock-step', -60_000, 60_000)))
    if (node.store && faults.strikes('partition')) {
      const length = millis(faults.between('partition', 500, 25_000))
      trace.add(node.name, `is cut off for ${length.toFixed()} ms`)
      node.store.link.cut(length)
    }
  }
}

function disturbDatabase({ cluster: { database }, faults, ledger }: GremlinOptions): void {
  if (faults.strikes('database-restart')) database.crash('by chance')
  const through = ledger.head - keptEntries
  if (through > 0 && faults.strikes('log-compacted'))
    database.receive({ type: 'read', perform: ({ upkeep }) => upkeep.compact(through) }, () => {})
}
