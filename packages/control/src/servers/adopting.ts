import { isProviderError, type LaunchSpec, type Provider, type ServerInfo } from '@stead/provider-kit'
import { describeSettled, writeAnswer } from './answers.ts'
import { forget } from './ending.ts'
import type { Server } from './model.ts'
import { ask, type Reach } from './reach.ts'
import { writeOutcome } from './status.ts'

/**
 * Writes on a backend object that was there before whose it is. Nothing else of it is changed, and it is safe to repeat.
 * What went, or was taken by somebody else, while it was decided on is let go of.
 */
export async function adopt(reach: Reach, server: Server): Promise<void> {
  const { deletedAt, spec, status } = server
  const id = status.backendId!
  const launch = await reach.content(server, spec.launch.sealed)
  try {
    const info = await ask(reach, 'adopt', (provider, { signal }) => retag(provider, server, launch, signal))
    await writeAnswer(reach, server, { info, patch: { adopting: undefined } })
  } catch (error) {
    const isGone = isProviderError(error, 'NotFound') && (await describeSettled(reach, id)) === undefined
    if (deletedAt !== undefined && (isGone || isProviderError(error, 'Conflict'))) await forget(reach, server)
    else if (isGone) await lose(reach, server)
    else throw error
  }
}

/** What is ours keeps nothing of the tags it had; on what was not, ours are added to its own. */
function retag(
  provider: Provider,
  { status }: Server,
  launch: LaunchSpec,
  signal: AbortSignal | undefined,
): Promise<ServerInfo> {
  const id = status.backendId!
  const isUpdated = status.adopting === 'retag' && provider.capabilities().groups.update?.fields.tags !== undefined
  return isUpdated || !provider.adopt
    ? provider.update!(id, { ...launch, tags: {} }, launch, { signal })
    : provider.adopt(id, launch.tags, { signal })
}

async function lose({ context }: Reach, server: Server): Promise<void> {
  const lost = { at: context.world.now(), reason: 'it was gone before it could be adopted' }
  await writeOutcome(context, server, { lost, adopting: undefined, failure: undefined })
}
