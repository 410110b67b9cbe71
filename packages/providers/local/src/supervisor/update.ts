import { isDeepStrictEqual } from 'node:util'
import { type LaunchSpec, ProviderError } from '@stead/provider-kit'
import { LimitRefused } from '../cgroups/index.ts'
import type { LaunchChange } from '../wire/words.ts'
import { admit } from './admit.ts'
import type { Context } from './context.ts'
import { syncAll } from './durable.ts'
import { launchPaths, writeLaunch } from './keeper.ts'
import { sealSpec } from './sealing.ts'
import type { Service } from './service.ts'
import { type KeptLaunch, servicesOf } from './state.ts'

/** What was launched, as it is kept and as it is. */
export interface Launched {
  readonly kept: KeptLaunch
  readonly spec: LaunchSpec
}

interface UpdateParts {
  readonly context: Context
  readonly id: string
  readonly services: ReadonlyMap<string, Service>
  isGone(): boolean
}

/**
 * Changes what was launched: first what is kept, then what runs. Who comes after us thus never finds a limit of which nothing
 * is written. What the kernel refuses is taken back in the same order, and all is as it was.
 */
export async function updateLaunched(change: LaunchChange, before: Launched, parts: UpdateParts): Promise<Launched> {
  const { context, id, services } = parts
  mustBeThere(parts)
  const spec = changed(before.spec, change, id)
  admit(spec, context)
  const after = { spec, kept: { ...before.kept, ...sealSpec(spec, context.seal) } }
  // Repeated, there is nothing to write; the limits are written all the same.
  if (!isDeepStrictEqual(spec, before.spec)) await keep(after.kept, parts)
  mustBeThere(parts)
  try {
    limit(services, spec)
    return after
  } catch (error) {
    await keep(before.kept, parts)
    limit(services, before.spec)
    if (!(error instanceof LimitRefused)) throw error
    throw new ProviderError('Conflict', `${id} stays as it is: ${error.message}`)
  }
}

/** Gives what was taken over the limits that are kept for it. What no longer fits keeps those it has until it is started again. */
export function tryLimits(service: Service): void {
  try {
    service.limit(service.launch.resources)
  } catch (error) {
    console.error(`limits of ${service.name}:`, error)
  }
}

function limit(services: ReadonlyMap<string, Service>, spec: LaunchSpec): void {
  for (const [name, { resources }] of Object.entries(servicesOf(spec))) services.get(name)!.limit(resources)
}

async function keep(kept: KeptLaunch, { context, id }: UpdateParts): Promise<void> {
  const directory = context.place.instance(id)
  writeLaunch(directory, kept)
  await syncAll(launchPaths(directory))
}

function mustBeThere({ id, isGone }: UpdateParts): void {
  if (isGone()) throw new ProviderError('Conflict', `${id} is being removed: nothing about it can be changed`)
}

/** Everything but the change stays as it was launched: secrets, too, which a change need not bring. */
function changed(spec: LaunchSpec, { tags, resources }: LaunchChange, id: string): LaunchSpec {
  const services = Object.entries(servicesOf(spec)).map(([name, service]) => {
    if (!resources[name]) throw new ProviderError('Conflict', `${id} has a service ${name}, which the change lacks`)
    return [name, { ...service, resources: resources[name] }]
  })
  if (services.length !== Object.keys(resources).length)
    throw new ProviderError('Conflict', `the change names services that ${id} does not have`)
  return { ...spec, tags, source: { ...spec.source, services: Object.fromEntries(services) } as LaunchSpec['source'] }
}
