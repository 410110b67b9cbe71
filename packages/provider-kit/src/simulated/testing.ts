import { type Duration, newId, seconds, VirtualWorld, type World } from '@stead/world'
import type { LaunchSource, LaunchSpec } from '../launch-spec.ts'
import type { Provider } from '../provider.ts'
import { serverTags } from '../tags.ts'
import { type CreateToken, launchToken } from '../tokens.ts'
import { Line } from './client/line.ts'
import { SimulatedProvider } from './client/provider.ts'
import { type CloudOptions, SimulatedCloud } from './cloud.ts'

export const owner = { controlPlane: 'cp-1', region: 'reg-1' }
export const machine: LaunchSource = { type: 'machine', flavor: 'small', image: 'minimal' }

/** A cloud on a virtual clock, with one client, for tests of the cloud itself. */
export function sky(options: Omit<CloudOptions, 'world'> & { seed?: number } = {}) {
  const world = new VirtualWorld({ seed: options.seed ?? 1 })
  const cloud = new SimulatedCloud({ seed: 1, ...options, world })
  const client = (own: World = world.node(), key = 'simulated'): Provider =>
    new SimulatedProvider(new Line(cloud, own, key), owner)
  const provider = client()
  const order = (source = machine): { spec: LaunchSpec; token: CreateToken } => {
    const id = newId(world, 'srv')
    return { spec: { name: 'web', source, power: 'on', tags: serverTags(owner, id) }, token: launchToken(id, 1) }
  }
  /** Launches and boots one. */
  const booted = async (source = machine) => {
    const { spec, token } = order(source)
    const { id } = await world.run(provider.launch(spec, token, { fresh: true }))
    await world.runFor(seconds(2))
    return id
  }
  const run = <T>(work: Promise<T>, limit?: Duration) => world.run(work, limit)
  const stateOf = async (id: string) => (await run(provider.describe(id))).state
  return { world, cloud, client, provider, order, booted, run, stateOf, account: cloud.account() }
}
