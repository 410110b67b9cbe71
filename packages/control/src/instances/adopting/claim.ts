import type { View } from '@stead/engine'
import {
  type Capabilities,
  isOwned,
  isProviderError,
  ownTags,
  type ServerInfo,
  type Tags,
  withDeadline,
} from '@stead/provider-kit'
import { newId, seconds, type World } from '@stead/world'
import { fail } from '../../errors/index.ts'
import type { Caller, Place } from '../../identity/caller.ts'
import type { RegionClients } from '../../regions/clients.ts'
import { codeOf, reasonFor } from '../../regions/health/reason.ts'
import type { Region } from '../../regions/model.ts'
import { isOperator } from '../../regions/visibility.ts'
import { type Server, servers, serversByBackend } from '../../servers/model.ts'
import { Orphan, orphansByRegion } from '../../servers/orphans/model.ts'

/** A backend object that the caller may adopt, as it was when it was looked at. */
export interface Claim {
  readonly region: Region
  readonly info: ServerInfo
  readonly capabilities: Capabilities
  /** Whether its tags prove it ours. */
  readonly isOurs: boolean
  /** What its server is called from now on: as it was, where the store has forgotten it. Then nothing need be written on it. */
  readonly serverId: string
  /** How it was reported, if it was. */
  readonly orphan: Orphan | undefined
}

export interface Claiming {
  readonly region: Region
  /** What the backend calls it, or the id of the orphan that it was reported as. */
  readonly text: string
  readonly caller: Caller
  readonly place: Place & { readonly type: 'project' }
  readonly everything: View
  readonly clients: RegionClients
  readonly world: World
}

/** Looks at a backend object, and refuses what nobody may take: what is somebody's, on its way out, or not there. */
export async function claimOf(claiming: Claiming): Promise<Claim> {
  const { region, text, everything, caller, place, clients, world } = claiming
  const [orphan] = everything.list({
    kind: Orphan.kind,
    index: { name: orphansByRegion.name, key: region.id },
    where: ({ id, spec }) => id === text || spec.backendId === text,
  }).items
  const { info, capabilities } = await look(claiming, orphan?.spec.backendId ?? text)
  // What somebody else may take does not exist for who may not.
  if (!isOperator(caller) && info.tags[ownTags.projectId] !== place.projectId) throw notThere(claiming)
  const { controlPlane } = clients.ownerIn(region)
  const isOurs = isOwned(info.tags, controlPlane)
  if (!isOurs && info.tags[ownTags.controlPlane] !== undefined)
    throw cannot('it belongs to another control plane', 'have that one let go of it first')
  refuseEnding(info, orphan)
  const tagged = taggedServer(info, everything)
  refuseManaged(claiming, info, tagged)
  const isForgotten = isOurs && tagged === undefined && isServerId(info.tags[ownTags.serverId])
  const serverId = isForgotten ? info.tags[ownTags.serverId]! : newId(world, 'srv')
  const claim = { region, info, capabilities, isOurs, serverId, orphan }
  if (!isForgotten && !canRetag(claim))
    throw fail('unsupported', `the region ${region.name} cannot say of what is there already whose it is`)
  return claim
}

/** Whether its tags can be changed. */
export const canRetag = ({ capabilities: { groups }, isOurs }: Pick<Claim, 'capabilities' | 'isOurs'>): boolean =>
  groups.adopt !== undefined || (isOurs && groups.update?.fields.tags !== undefined)

/** Tags that it lacks, or has with another value. */
export const missingTags = ({ info }: Pick<Claim, 'info'>, wanted: Tags): Tags =>
  Object.fromEntries(Object.entries(wanted).filter(([key, value]) => info.tags[key] !== value))

const patience = seconds(10)

async function look(claiming: Claiming, id: string): Promise<Pick<Claim, 'info' | 'capabilities'>> {
  const { region, clients, world } = claiming
  try {
    const provider = await clients.of(region)
    const info = await withDeadline(world, patience, signal => provider.describe(id, { signal }))
    return { info, capabilities: provider.capabilities() }
  } catch (error) {
    if (isProviderError(error, 'NotFound', 'InvalidConfig')) throw notThere(claiming)
    const why = reasonFor(codeOf(error))
    throw fail('unavailable', `it cannot be seen what is in the region ${region.name}: ${why}`, {
      retryAfter: seconds(5),
      cause: error,
    })
  }
}

const notThere = ({ region, text }: Claiming) =>
  fail('not_found', `there is nothing ${JSON.stringify(text)} in the region ${region.name} that could be adopted here`)

const cannot = (why: string, suggestion: string) =>
  fail('invalid_state', `it cannot be adopted: ${why}`, { suggestion })

function refuseEnding({ state }: ServerInfo, orphan: Orphan | undefined): void {
  if (orphan?.spec.reap) throw cannot('it is being removed', 'adopt another')
  if (state === 'terminating' || state === 'terminated') throw cannot(`it is ${state}`, 'adopt another')
  if (state === 'unknown')
    throw fail('not_ready', 'how it is cannot be told now, and so not what it would become', { retryAfter: seconds(5) })
}

const isServerId = (text: string | undefined): boolean => text !== undefined && /^srv_[0-9a-z-]{1,60}$/.test(text)

function taggedServer({ tags }: ServerInfo, everything: View): Server | undefined {
  const id = tags[ownTags.serverId]
  return id === undefined ? undefined : everything.get(servers, id)
}

function refuseManaged({ region, everything }: Claiming, { id }: ServerInfo, tagged: Server | undefined): void {
  const holders = everything.list({ kind: servers, index: { name: serversByBackend.name, key: id } }).items
  const isManaged = tagged?.status.backendId === id || holders.some(({ spec }) => spec.region === region.id)
  if (isManaged) throw alreadyManaged()
  if (tagged && tagged.status.backendId === undefined)
    throw fail('not_ready', 'it is being launched for an instance here, which will find it', { retryAfter: seconds(5) })
}

export const alreadyManaged = () => cannot('it is of an instance here already', 'look for that instance')
