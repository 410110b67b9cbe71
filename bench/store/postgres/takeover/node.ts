// A node of the engine as a process of its own, with everything as `stead serve` has it: it signs the probes of its
// shards. Argument: a NodeStart as JSON.
import { changeSet, controller, done, startEngine } from '@stead/engine'
import { type Duration, newId, realWorld } from '@stead/world'
import { openStore, type PostgresPlace } from '../../place.ts'
import { type Probe, probes } from './probe.ts'

export interface NodeStart {
  readonly place: PostgresPlace
  /** The engine's own unless said. */
  readonly leases: { readonly leaseTtl?: Duration; readonly renewEvery?: Duration }
}

export interface NodeReady {
  readonly nodeId: string
}

const { place, leases } = JSON.parse(process.argv[2]!) as NodeStart
const nodeId = newId(realWorld, 'node')
const signing = controller<Probe>({
  name: 'signing',
  kind: probes,
  async reconcile(probe, { commit, world }) {
    if (probe.status.by !== nodeId) await commit(changeSet(world).update(probe, { status: { by: nodeId } }))
    return done
  },
})

const store = await openStore(realWorld, place)
const engine = startEngine({ store, world: realWorld, nodeId, controllers: [signing], ...leases })
await engine.loaded
process.send!({ nodeId } satisfies NodeReady)
process.on('disconnect', async () => {
  await engine.stop()
  await store.close()
})
