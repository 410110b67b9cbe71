import { createToken, type LaunchSpec, type MachineSize, rebuilt, type ServerInfo } from '@stead/provider-kit'
import { describeSettled, writeAnswer } from './answers.ts'
import { decideChangeStep, resized } from './change.ts'
import { type Server, servers, type Target } from './model.ts'
import { ask, type Reach } from './reach.ts'
import { writeIntent } from './status.ts'

/** What it has come to: more to do later, a stop for it that did not take, or an end that was refused. */
export type Changed = 'done' | 'waiting' | 'ignored' | { readonly impossible: readonly string[] }

/** Once per sequence number: repeated, it does not wipe again. */
const rebuildToken = (id: string, sequence: number) => createToken(`${id}.rebuild.${sequence}`)

/** Brings a launched server to a target that was written down before. Safe to repeat from the start. */
export async function change(
  reach: Reach,
  server: Server,
  target: Target,
  { fresh }: { readonly fresh: boolean },
): Promise<Changed> {
  const applied = server.status.applied!
  const power = server.spec.power
  const [from, to] = await Promise.all([reach.content(server, applied.launch), reach.content(server, target.launch)])
  const step = decideChangeStep({
    from,
    to,
    rebuild: target.rebuild > applied.rebuild,
    state: server.status.observed!.state,
    groups: reach.provider.capabilities().groups,
  })
  switch (step.type) {
    case 'impossible':
      return { impossible: step.fields }
    case 'wait':
      return 'waiting'
    case 'stop':
      await writeIntent(reach.context, server, { powering: 'off' })
      return (await stop(reach, reach.context.cache.get(servers, server.id) ?? server, { hard: false }))
        ? 'waiting'
        : 'ignored'
    case 'apply': {
      const kept = { ...from, power: applied.power }
      const sized = step.resize ? resized(kept, step.resize) : kept
      let info = step.resize && (await resize(reach, server, step.resize))
      if (step.rest === 'update') info = await update(reach, server, sized, { ...to, power: applied.power })
      if (step.rest === 'rebuild') info = await rebuild(reach, server, { ...to, power }, { target, fresh })
      // After it: repeated once the disk is new, an update of what was before would describe something that is not there.
      if (step.besides) info = await update(reach, server, { ...rebuilt(from, to), power }, { ...to, power })
      // It was stopped for its new size, or has the power it was rebuilt with: what is wanted is made true after this.
      const reached = step.rest === 'rebuild' ? power : step.resize ? 'off' : undefined
      await writeChanged(reach, server, { target, power: reached, info, fresh })
      return 'done'
    }
  }
}

const resize = (reach: Reach, { status }: Server, size: MachineSize): Promise<ServerInfo> =>
  ask(reach, 'resize', (provider, options) => provider.resize!(status.backendId!, size, options))

const update = (reach: Reach, { status }: Server, from: LaunchSpec, to: LaunchSpec): Promise<ServerInfo> =>
  ask(reach, 'update', (provider, options) => provider.update!(status.backendId!, from, to, options))

const rebuild = (
  reach: Reach,
  { id, status }: Server,
  to: LaunchSpec,
  { target, fresh }: { readonly target: Target; readonly fresh: boolean },
): Promise<ServerInfo> =>
  ask(reach, 'rebuild', (provider, options) =>
    provider.rebuild!(status.backendId!, to, rebuildToken(id, target.rebuild), { ...options, ...(fresh && { fresh }) }),
  )

interface Reached {
  readonly target: Target
  /** Undefined where the change left it alone: what was ordered before may still be under way. */
  readonly power: 'on' | 'off' | undefined
  readonly info: ServerInfo | undefined
  readonly fresh: boolean
}

/** What it was launched as before is dropped with this: nothing leads back to it. */
const writeChanged = (reach: Reach, server: Server, { target, power, info, fresh }: Reached): Promise<void> =>
  writeAnswer(reach, server, {
    info,
    patch: {
      applied: { ...server.status.applied!, ...target, ...(power && { power }) },
      applying: undefined,
      ...(power && { powering: undefined }),
      repeatedAt: fresh ? undefined : reach.context.world.now(),
    },
    also(set, { spec }) {
      const before = server.status.applied!.launch
      if (before !== target.launch && before !== spec.launch.sealed) set.dropBlob(server, before)
    },
  })

/** Answers whether it took: a stop may be accepted and have no effect. */
export async function stop(reach: Reach, server: Server, { hard }: { readonly hard: boolean }): Promise<boolean> {
  const id = server.status.backendId!
  const info = await ask(reach, 'stop', (provider, options) => provider.stop(id, { ...options, hard }))
  await writeAnswer(reach, server, { info })
  return info.state === 'stopping' || info.state === 'stopped'
}

export async function start(reach: Reach, server: Server): Promise<void> {
  const id = server.status.backendId!
  const info = await ask(reach, 'start', (provider, options) => provider.start(id, options))
  const patch = { applied: { ...server.status.applied!, power: 'on' as const }, powering: undefined }
  await writeAnswer(reach, server, { info, patch })
}

/**
 * Writes down that an order was followed, only if that is so now. What was last seen may be from before it, or from before
 * another that it undoes.
 */
export async function note(
  reach: Reach,
  server: Server,
  { power, restart }: { readonly power: 'on' | 'off'; readonly restart: number },
): Promise<void> {
  const { applied, backendId, observed } = server.status
  const info = await describeSettled(reach, backendId!)
  if (info && info.state !== observed!.state) return writeAnswer(reach, server, { info })
  await writeIntent(reach.context, server, { applied: { ...applied!, power, restart }, powering: undefined })
}

export async function reboot(
  reach: Reach,
  server: Server,
  { hard, service }: { readonly hard: boolean; readonly service?: string },
): Promise<void> {
  const id = server.status.backendId!
  const info = await ask(reach, 'reboot', (provider, options) =>
    provider.reboot!(id, { ...options, hard, ...(service !== undefined && { service }) }),
  )
  const patch = { applied: { ...server.status.applied!, restart: server.spec.restart!.sequence } }
  await writeAnswer(reach, server, { info, patch })
}
