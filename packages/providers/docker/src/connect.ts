import { type Owner, type Provider, ProviderError, type PullSecret } from '@stead/provider-kit'
import type { World } from '@stead/world'
import { type EngineName, engineName } from './detect.ts'
import { type EngineAddress, EngineClient, type Tls } from './engine/client.ts'
import { Engine } from './engine/engine.ts'
import { announceBridges } from './guard/announce.ts'
import type { Guard, Machine } from './guard/guard.ts'
import { Inside } from './inside/install.ts'
import { DockerProvider } from './provider.ts'
import type { Settings } from './server/context.ts'
import { engineEvents } from './server/engine-events.ts'
import { Images } from './server/images.ts'
import { kernelLog } from './server/kernel-log.ts'
import { Networks } from './server/networks.ts'
import { OutOfMemory } from './server/out-of-memory.ts'
import { Subnets } from './server/subnets.ts'

export interface Connecting {
  readonly engine: Engine
  readonly world: World
  readonly owner: Owner
  readonly signal?: AbortSignal | undefined
  readonly settings: Settings
  readonly networkRange: string
  readonly mayPull: boolean
  readonly registries: readonly PullSecret[]
  readonly machine: Machine
  /** What keeps instances from the machine. */
  guard(kind: EngineName): Guard
}

/** Asks an engine what it is, and begins to follow what happens in it. */
export async function connectEngine(connecting: Connecting): Promise<Provider> {
  const { engine, world, owner, signal, settings, networkRange, mayPull, registries } = connecting
  const { Version, Arch, Components } = await engine.version(signal)
  const kind = engineName(Components)
  const notes = [
    `${kind === 'podman' ? 'Podman' : 'Docker'} ${Version} on ${Arch}`,
    'sizes of volumes are kept, and not enforced',
    ...(kind === 'podman'
      ? [
          'limits cannot be changed while something runs',
          'a service that fails is restarted at once, every time',
          'a service that ran out of memory is known by the log of this kernel, where it can be read',
          ...(await announceBridges(connecting.machine)),
        ]
      : []),
  ]
  if (kind === 'podman') engine.isPodman()
  const guard = connecting.guard(kind)
  // Before anything runs.
  await guard.ensure()
  const inside = new Inside(engine, owner, Arch, world)
  const images = new Images(engine, mayPull, registries)
  const networks = new Networks({ engine, owner, kind, subnets: new Subnets(networkRange) })
  const outOfMemory = new OutOfMemory(kind === 'docker' ? engineEvents(engine) : kernelLog(world))
  const context = { world, owner, engine, kind, settings, inside, images, networks, guard, outOfMemory }
  return new DockerProvider(context, notes)
}

export const engineAt = (address: EngineAddress, world: World): Engine => new Engine(new EngineClient(address), world)

/** Without TLS only over a socket, or on this machine: who can talk to an engine is root on its machine. */
export function addressOf(endpoint: string, tls?: Tls): EngineAddress {
  if (endpoint.startsWith('unix://')) return { socket: endpoint.slice('unix://'.length) }
  const { hostname, port } = new URL(endpoint.replace(/^tcp:/, 'http:'))
  if (!tls && !['127.0.0.1', 'localhost', '[::1]'].includes(hostname))
    throw new ProviderError('InvalidConfig', `${endpoint} needs TLS: give its credentials ca, cert and key`)
  return { host: hostname, port: Number(port || (tls ? 2376 : 2375)), tls }
}
