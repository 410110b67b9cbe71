import { isDeepStrictEqual } from 'node:util'
import { changedFields, type LaunchSpec, ProviderError, servicesOf } from '@stead/provider-kit'
import { LimitRefused } from '../cgroups/index.ts'
import type { LaunchChange } from '../wire/words.ts'
import { admit } from './admit.ts'
import type { Context } from './context.ts'
import { syncAll } from './durable.ts'
import { launchPaths, writeLaunch } from './keeper.ts'
import { sealSpec } from './sealing.ts'
import type { Service } from './service.ts'
import type { KeptLaunch, RunMark, ServiceChanges } from './state.ts'

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
  // Repeated, there is nothing to write; the limits are written all the same.
  const isSame = isDeepStrictEqual(spec, before.spec)
  const kept = isSame ? before.kept : { ...before.kept, ...sealSpec(spec, context.seal), ...changesOf(before, spec) }
  const after = { spec, kept }
  if (!isSame) await keep(kept, parts)
  mustBeThere(parts)
  try {
    outfit(services, spec)
    return after
  } catch (error) {
    await keep(before.kept, parts)
    outfit(services, before.spec)
    if (!(error instanceof LimitRefused)) throw error
    throw new ProviderError('Conflict', `${id} stays as it is: ${error.message}`)
  }
}

/** Gives what was taken over the limits that are kept for it. What no longer fits keeps those it has until it is started again. */
export function tryLimits(service: Service): void {
  try {
    service.outfit(service.launch)
  } catch (error) {
    console.error(`limits of ${service.name}:`, error)
  }
}

function outfit(services: ReadonlyMap<string, Service>, spec: LaunchSpec): void {
  for (const [name, launch] of Object.entries(servicesOf(spec))) services.get(name)!.outfit(launch)
}

/** What this change asks of what runs, written down with it: who comes after us knows what was not done yet. */
function changesOf({ kept, spec: before }: Launched, spec: LaunchSpec): Pick<KeptLaunch, 'changes' | 'sequence'> {
  const sequence = (kept.sequence ?? 0) + 1
  const changes: Record<string, ServiceChanges> = { ...kept.changes }
  for (const name of Object.keys(servicesOf(spec))) {
    const alone = (of: LaunchSpec): LaunchSpec => ({
      ...of,
      source: { ...of.source, services: { [name]: servicesOf(of)[name]! } } as LaunchSpec['source'],
    })
    const changed = changedFields(alone(before), alone(spec))
    if (changed.has('environment')) changes[name] = { ...changes[name], restart: sequence }
    else if (changed.has('files')) changes[name] = { ...changes[name], files: sequence }
  }
  return { changes, sequence }
}

/** What a process that runs has not been given yet: by a signal, if no change since then needs another start. */
export function changeDue({ changes }: KeptLaunch, service: string, { sequence = 0 }: RunMark) {
  const { restart = 0, files = 0 } = changes?.[service] ?? {}
  if (restart > sequence) return 'restart'
  return files > sequence ? 'reload' : 'nothing'
}

async function keep(kept: KeptLaunch, { context, id }: UpdateParts): Promise<void> {
  const directory = context.place.instance(id)
  writeLaunch(directory, kept)
  await syncAll(launchPaths(directory))
}

function mustBeThere({ id, isGone }: UpdateParts): void {
  if (isGone()) throw new ProviderError('Conflict', `${id} is being removed: nothing about it can be changed`)
}

/** Everything but the change stays as it was launched. */
function changed(spec: LaunchSpec, { tags, services: changes }: LaunchChange, id: string): LaunchSpec {
  const services = Object.entries(servicesOf(spec)).map(([name, service]) => {
    if (!changes[name]) throw new ProviderError('Conflict', `${id} has a service ${name}, which the change lacks`)
    return [name, { ...service, ...changes[name] }]
  })
  if (services.length !== Object.keys(changes).length)
    throw new ProviderError('Conflict', `the change names services that ${id} does not have`)
  return { ...spec, tags, source: { ...spec.source, services: Object.fromEntries(services) } as LaunchSpec['source'] }
}
