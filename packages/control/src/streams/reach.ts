import type { ReadCache, View } from '@stead/engine'
import { type GroupName, isProviderError, type Provider, type ProviderErrorCode } from '@stead/provider-kit'
import { seconds } from '@stead/world'
import { fail, Problem } from '../errors/index.ts'
import { type Access, judgeAccess } from '../instances/access.ts'
import type { Instance } from '../instances/model.ts'
import { refusalBy, verbView } from '../instances/verbs.ts'
import { assertCan } from '../regions/capable.ts'
import type { RegionClients } from '../regions/clients.ts'
import { Region } from '../regions/model.ts'
import { explain } from '../servers/failure.ts'
import { servers } from '../servers/model.ts'

/** What streams have around them. */
export interface StreamSurroundings {
  readonly clients: RegionClients
  readonly cache: Pick<ReadCache, 'onChange' | 'platform'>
}

/** What an instance runs on, as far as it can be reached into. */
export interface ReachedServer {
  readonly id: string
  readonly backendId: string
  /** Asked anew each time: a region may be configured otherwise meanwhile. */
  readonly provider: () => Promise<Provider>
}

/** The server of an instance, or one of those it had before; undefined where nothing of it is at a backend. */
export function reached(
  { clients, cache }: StreamSurroundings,
  instance: Pick<Instance, 'id' | 'spec' | 'status'>,
  id: string | undefined = instance.status.slots.active,
): ReachedServer | undefined {
  const everything = cache.platform()
  const server = id === undefined ? undefined : everything.get(servers, id)
  const backendId = server?.status.backendId
  if (!server || backendId === undefined || server.owner?.id !== instance.id || server.status.lost) return undefined
  const provider = async () => {
    const region = everything.get<Region>(Region.kind, server.spec.region)
    if (!region) throw fail('not_found', 'its region is gone')
    return clients.of(region)
  }
  return { id: server.id, backendId, provider }
}

export interface Need {
  readonly group: GroupName
  readonly access: Access
}

/** The server of an instance, for what needs it. Refuses what its region cannot do before anything else. */
export async function reachServer(
  surroundings: StreamSurroundings,
  instance: Instance,
  { group, access }: Need,
): Promise<ReachedServer> {
  const everything = surroundings.cache.platform()
  const region = everything.get<Region>(Region.kind, instance.spec.region)
  if (!region) throw fail('not_found', 'its region is gone')
  await assertCan(region, group, surroundings.clients)
  const view = verbView(everything as View, instance)
  const refusal = refusalBy(judgeAccess(access, view), view)
  if (refusal) throw refusal
  return reached(surroundings, instance)!
}

const states: ReadonlySet<ProviderErrorCode> = new Set(['Conflict', 'NotFound'])

/** What a provider's refusal means to whoever asked. The backend's own words may name its insides: they are for the log. */
export function problemOfProvider(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error
  if (!isProviderError(error)) return undefined
  const { code, message, retryAfter } = explain(error, 'act')!
  if (code === 'Unsupported') return fail('unsupported', message, { cause: error })
  if (code === 'InvalidConfig') return fail('invalid', message, { cause: error })
  if (states.has(code)) return fail('invalid_state', message, { cause: error })
  return fail('unavailable', message, { retryAfter: retryAfter ?? seconds(2), cause: error })
}
