import { isProviderError, type ServerInfo } from '@stead/provider-kit'
import { type Server, servers } from './model.ts'
import { ask, type Reach } from './reach.ts'
import { type OutcomeOptions, observedOf, type StatusPatch, writeOutcome } from './status.ts'

interface Answer extends Pick<OutcomeOptions, 'also'> {
  /** How the server is by the answer; undefined when the call says nothing of it. */
  readonly info: ServerInfo | undefined
  readonly patch?: StatusPatch
}

/** As often the server is looked at again. One that changes faster has an observer that sees it. */
const looks = 3

/**
 * Writes what came of a call, with what it answered of the server. What the observer has written during the call may be newer
 * than the answer, and a stream tells nothing twice: then the server is looked at once more.
 */
export async function writeAnswer(reach: Reach, server: Server, { info, patch = {}, also }: Answer): Promise<void> {
  const { context } = reach
  let picture = info
  let before = server
  for (let left = looks; ; left--) {
    const seen = picture && { observed: observedOf(picture) }
    const isWritten = await writeOutcome(
      context,
      server,
      { failure: undefined, ...patch, ...seen },
      { ...(also && { also }), ...(picture && left > 0 && { where: untouchedSince(before) }) },
    )
    if (isWritten) return
    before = context.cache.get(servers, server.id) ?? before
    // What is not there any more shows as it did last, until lists prove it gone.
    picture = await describeSettled(reach, server.status.backendId!)
  }
}

/**
 * Whether nobody has written it since. That it looks the same would not do: what was restarted has been seen to go and to
 * come back before the answer that it goes.
 */
export const untouchedSince =
  ({ revision }: Server) =>
  (server: Server): boolean =>
    server.revision === revision

/** Undefined when it is not there. A picture older than our own call is not believed: a new server is missing in it. */
export async function describeSettled(reach: Reach, id: string): Promise<ServerInfo | undefined> {
  const { describe } = reach.provider.capabilities().consistency
  try {
    return await ask(reach, 'describe', (provider, options) => provider.describe(id, options), describe)
  } catch (error) {
    if (isProviderError(error, 'NotFound')) return undefined
    throw error
  }
}
