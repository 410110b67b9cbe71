import {
  type CreateToken,
  createToken,
  isProviderError,
  launchToken,
  listAll,
  type ServerInfo,
  serverTags,
} from '@stead/provider-kit'
import { type Server, unlaunched } from './model.ts'
import { ask, type Reach, settleTime } from './reach.ts'
import { observedOf, writeIntent, writeOutcome } from './status.ts'

/** Written before the first call with the token, so that whoever comes after a crash knows that there may have been one. */
export const intendLaunch = ({ context }: Reach, server: Server): Promise<void> =>
  writeIntent(context, server, {
    launch: 'sent',
    applied: {
      launch: server.spec.launch.sealed,
      power: server.spec.power,
      restart: server.spec.restart?.sequence ?? 0,
      rebuild: server.spec.rebuild?.sequence ?? 0,
    },
    failure: undefined,
  })

/** Launches by the token; `fresh` only right after its intent was written, in the same pass. */
export async function launch(reach: Reach, server: Server, { fresh }: { readonly fresh: boolean }): Promise<void> {
  const info = await sendLaunch(reach, server, fresh)
  await writeLaunched(reach, server, info)
}

/** The attempts of another epoch of the store are others, whatever their numbers. */
function tokenOf({ id, status: { attempt, epoch } }: Server): CreateToken {
  const token = launchToken(id, attempt)
  return epoch === undefined ? token : createToken(`${token}.${epoch}`)
}

async function sendLaunch(reach: Reach, server: Server, fresh: boolean): Promise<ServerInfo> {
  const { applied } = server.status
  if (!applied) throw new Error(`server ${server.id} was sent without a word on what it is`)
  const content = { ...(await reach.content(server, applied.launch)), power: applied.power }
  const token = tokenOf(server)
  return ask(reach, 'launch', (provider, options) =>
    provider.launch(content, token, { ...options, ...(fresh && { fresh }) }),
  )
}

const writeLaunched = ({ context }: Reach, server: Server, info: ServerInfo): Promise<boolean> =>
  writeOutcome(context, server, {
    backendId: info.id,
    observed: observedOf(info),
    failure: undefined,
  })

/** What a launch is refused with when nothing was made of it. `Conflict` says that there is something: the list shows it. */
const refusals = ['InvalidConfig', 'Unsupported', 'Capacity', 'Quota', 'NotFound', 'Conflict'] as const

/**
 * Finds what a launch of unknown outcome made, and writes it down; `nothing` when that is certain. Where the backend knows
 * the token, sending it again is the one sure way: whatever is still under way comes out as the same server.
 */
export async function find(reach: Reach, server: Server): Promise<'found' | 'nothing'> {
  // Not by a token of before a restore: the launch that it stands for may be long over, and would be made once more.
  const info = (reach.remembers(server) && (await findByToken(reach, server))) || (await findByTag(reach, server))
  if (!info) return 'nothing'
  await writeLaunched(reach, server, info)
  return 'found'
}

async function findByToken(reach: Reach, server: Server): Promise<ServerInfo | undefined> {
  const { mode } = reach.provider.capabilities().launch.idempotency
  if (mode === 'search' || !server.status.applied) return undefined
  try {
    return await sendLaunch(reach, server, false)
  } catch (error) {
    if (isProviderError(error, ...refusals)) return undefined
    throw error
  }
}

async function findByTag(reach: Reach, { id }: Server): Promise<ServerInfo | undefined> {
  const { storeId: controlPlane } = reach.store.identity
  const tags = serverTags({ controlPlane, region: reach.region }, id)
  const found = await ask(
    reach,
    'list',
    (provider, options) => listAll(provider.list({ tags }, options)),
    settleTime(reach),
  )
  return found[0]
}

/** Nothing came of the attempt: the next one may be of something else. */
export const beginAnew = ({ context, store }: Reach, server: Server): Promise<boolean> =>
  writeOutcome(
    context,
    server,
    {
      ...unlaunched(server.status.attempt + 1, store.identity.epoch),
      ...{ applied: undefined, failure: undefined },
    },
    {
      also(set, { spec, status }) {
        const before = status.applied?.launch
        if (before !== undefined && before !== spec.launch.sealed) set.dropBlob(server, before)
      },
    },
  )
