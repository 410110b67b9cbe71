import type { Sealer, Store, View } from '@stead/engine'
import { type Capabilities, changedFields, type LaunchField, type LaunchSpec } from '@stead/provider-kit'
import { catalogOf } from '../regions/catalog/catalog-of.ts'
import type { RegionCatalogs } from '../regions/catalog/catalogs.ts'
import type { Region } from '../regions/model.ts'
import { unseal } from '../sealed/model.ts'
import { unsealLaunch } from '../servers/launch-content.ts'
import type { Server } from '../servers/model.ts'
import type { Outdated } from './decide.ts'
import { renderLaunch } from './launch.ts'
import type { Instance } from './model.ts'
import { effectOfAll, strongest } from './plan.ts'
import { seen } from './project.ts'
import { backendWords } from './references.ts'
import { withAuthority } from './user-data.ts'

/** What rendering an instance for its backend takes. */
export interface Workshop {
  readonly store: Pick<Store, 'blob' | 'identity'>
  readonly sealer: Sealer
  readonly catalogs: RegionCatalogs
}

export type Rendered =
  | { readonly type: 'rendered'; readonly launch: LaunchSpec }
  | { readonly type: 'waiting'; readonly message: string }

interface Request {
  readonly instance: Instance
  readonly region: Region
  readonly everything: View
  readonly serverId: string
  readonly power: 'on' | 'off'
  /** What was launched before: what it has in the backend's words is not looked up again. */
  readonly from?: LaunchSpec
}

/** What is to be launched for an instance, with every secret in it; or what has to be there first. */
export async function render(workshop: Workshop, request: Request): Promise<Rendered> {
  const { instance, region, everything, serverId, power, from } = request
  const { store, sealer, catalogs } = workshop
  const before = from?.source.type === 'machine' && instance.status.offering?.flavor === from.source.flavor
  const words = backendWords(
    instance.spec,
    { everything, region, catalogs },
    before && from ? { flavor: instance.status.offering!.name, launch: from } : undefined,
  )
  if (words.type === 'waiting') return words
  const { authority, type: _, ...resolved } = words
  const sealed = instance.spec.source.machine?.userData
  const own = sealed && (await unseal({ store, sealer }, instance, sealed))
  const userData = authority === undefined ? own : withAuthority(own, authority)
  const owner = { controlPlane: store.identity.storeId, region: region.id }
  const launch = renderLaunch({
    instance,
    serverId,
    owner,
    power,
    resolved: { ...resolved, ...(userData && { userData }) },
  })
  return { type: 'rendered', launch }
}

/** Whether a server was made for just what its instance says now. */
export function isFor({ spec, labels }: Server, instance: Instance): boolean {
  const keys = new Set([...Object.keys(labels), ...Object.keys(instance.labels)])
  return spec.generation === instance.generation && [...keys].every(key => labels[key] === instance.labels[key])
}

export type Comparison =
  | { readonly type: 'compared'; readonly outdated: Outdated; readonly launch: LaunchSpec }
  | { readonly type: 'unknown'; readonly message: string }

/** What it would cost to bring a server to what its instance says now, by what it was launched as. */
export async function compare(
  workshop: Workshop,
  request: Omit<Request, 'serverId' | 'power' | 'from'>,
  server: Server,
): Promise<Comparison> {
  const { store, sealer, catalogs } = workshop
  const from = await unsealLaunch({ store, sealer }, server, server.spec.launch.sealed)
  const rendered = await render(workshop, { ...request, serverId: server.id, power: from.power, from })
  if (rendered.type === 'waiting') return { type: 'unknown', message: rendered.message }
  const same = { ...rendered.launch, tags: from.tags }
  const fields = changedFields(from, rendered.launch)
  const catalog = catalogOf(request.region, catalogs)
  if (!catalog.isKnown)
    return fields.size === 0
      ? compared(false, 'inPlace', from)
      : { type: 'unknown', message: 'its region does not answer' }
  const { capabilities } = catalog
  // Tags that cannot be changed there are those of the next server.
  const launch = capabilities.groups.update?.fields.tags === undefined ? same : rendered.launch
  const changed = changedFields(from, launch)
  return compared(
    changed.size > 0,
    effectOfChange({ from, to: launch, changed, capabilities, server, request }),
    launch,
  )
}

const compared = (isChanged: boolean, effect: Outdated['effect'], launch: LaunchSpec): Comparison => ({
  type: 'compared',
  outdated: { isChanged, effect },
  launch,
})

interface Changed {
  readonly from: LaunchSpec
  readonly to: LaunchSpec
  readonly changed: ReadonlySet<LaunchField>
  readonly capabilities: Capabilities
  readonly server: Server
  readonly request: Pick<Request, 'instance'>
}

function effectOfChange({ from, to, changed, capabilities, server, request }: Changed): Outdated['effect'] {
  const found = seen(server, request.instance)
  const source = to.source.type === 'machine' ? 'machine' : 'services'
  const isOff = found.type === 'down' && found.why === 'told'
  const effect = effectOfAll(changed, { capabilities, source, server: isOff ? 'off' : 'on' })
  return diskOf(to) < diskOf(from) ? strongest(effect, 'replace') : effect
}

/** Disks never shrink. One that is left to the flavor is as large as that. */
const diskOf = ({ source }: LaunchSpec): number => (source.type === 'machine' ? (source.diskGiB ?? 0) : 0)
