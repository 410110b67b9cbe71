import type { Sealer, Store, View } from '@stead/engine'
import {
  type Capabilities,
  changedFields,
  type KeptAddresses,
  type LaunchField,
  type LaunchSpec,
} from '@stead/provider-kit'
import { catalogOf } from '../regions/catalog/catalog-of.ts'
import type { RegionCatalogs } from '../regions/catalog/catalogs.ts'
import type { Region } from '../regions/model.ts'
import { unsealLaunch } from '../servers/launch-content.ts'
import { isRefused, type Server } from '../servers/model.ts'
import type { SshAuthority } from '../ssh-authorities/model.ts'
import type { Outdated } from './decide.ts'
import { renderLaunch } from './launch.ts'
import type { Instance } from './model.ts'
import { effectOfAll, strongest } from './plan.ts'
import { seen } from './project.ts'
import { backendWords } from './references.ts'
import { type TrustedAuthority, withAuthority } from './user-data.ts'
import { openSecrets, type ReadSecret, type SecretVersions } from './values/open-secrets.ts'
import { openUserData, openVariables, type RenderedSource, renderSource } from './values/render-source.ts'
import { scopeOf } from './values/scope.ts'

/** What rendering an instance for its backend takes. */
export interface Workshop {
  readonly store: Pick<Store, 'blob' | 'identity'>
  readonly sealer: Sealer
  readonly catalogs: RegionCatalogs
}

/** What a server is to be launched as. */
export interface Launch {
  readonly spec: LaunchSpec
  /** Which versions of secrets are in it. */
  readonly secrets?: SecretVersions | undefined
}

export type Rendered =
  | { readonly type: 'rendered'; readonly launch: Launch }
  | { readonly type: 'waiting'; readonly message: string }

interface Request {
  readonly instance: Instance
  readonly region: Region
  readonly everything: View
  readonly serverId: string
  readonly power: 'on' | 'off'
  /** What was launched before: what it has in the backend's words is not looked up again. */
  readonly from?: Launch
}

/** What is to be launched for an instance, with every secret in it; or what has to be there first. */
export async function render(workshop: Workshop, request: Request): Promise<Rendered> {
  const { instance, region, everything, serverId, power, from } = request
  const { store, sealer, catalogs } = workshop
  const launched = from?.spec.source
  const before = launched?.type === 'machine' && instance.status.offering?.flavor === launched.flavor
  const words = backendWords(
    instance.spec,
    { everything, region, catalogs },
    before && from ? { flavor: instance.status.offering!.name, launch: from.spec } : undefined,
  )
  if (words.type === 'waiting') return words
  const secrets = await openSecrets({ store, sealer }, { spec: instance.spec, everything, held: from?.secrets })
  if (secrets.type === 'waiting') return secrets
  const { authority, type: _, ...resolved } = words
  const source = await renderOwn({ store, sealer }, instance, secrets.read)
  const [wrong] = source.errors
  if (wrong) return { type: 'waiting', message: `${wrong.path} ${wrong.message}` }
  const { userData: own, services } = source
  const userData = authority === undefined ? own : withAuthority(own, trustedBy(instance, authority))
  const owner = { controlPlane: store.identity.storeId, region: region.id }
  const spec = renderLaunch({
    instance,
    serverId,
    owner,
    power,
    resolved: {
      ...resolved,
      keepAddresses: keptAddresses(instance, from?.spec),
      ...(userData && { userData }),
      ...(services && { services }),
      readSecret: secrets.read,
    },
  })
  return { type: 'rendered', launch: { spec, secrets: secrets.versions } }
}

/** A new server is to have just what the instance has had; one that is there has its own, and was made for that. */
function keptAddresses({ id: of, spec, status }: Instance, from: LaunchSpec | undefined): KeptAddresses {
  if (from) {
    const before = from.source.type === 'machine' ? from.source.keepAddresses : undefined
    return before ?? { of }
  }
  const { private: own, public: outside } = status.kept ?? { private: [], public: [] }
  const isPublic = spec.source.machine?.publicIp === true && outside.length > 0
  return { of, ...(own.length > 0 && { private: own }), ...(isPublic && { public: outside }) }
}

/** A certificate of ours is for one machine; whom somebody else's is for, they say. */
const trustedBy = ({ id }: Instance, { status }: SshAuthority): TrustedAuthority => ({
  publicKey: status.publicKey,
  ...(status.privateKey && { instanceId: id }),
})

/** Renders what an instance says itself, with its secrets. */
async function renderOwn(
  opener: Pick<Workshop, 'store' | 'sealer'>,
  instance: Instance,
  readSecret: ReadSecret,
): Promise<RenderedSource> {
  const { id, name, spec, status } = instance
  const read = scopeOf({
    ...spec,
    instance: { id, name: name! },
    surroundings: status.surroundings ?? {},
    readSecret: await openVariables(opener, instance, readSecret),
  })
  return renderSource(spec, { read, userData: await openUserData(opener, instance) })
}

/** Whether a server was made for just what its instance says now. */
export function isFor({ spec, labels }: Server, instance: Instance): boolean {
  const keys = new Set([...Object.keys(labels), ...Object.keys(instance.labels)])
  return spec.generation === instance.generation && [...keys].every(key => labels[key] === instance.labels[key])
}

export type Comparison =
  | { readonly type: 'compared'; readonly outdated: Outdated; readonly launch: Launch }
  | { readonly type: 'unknown'; readonly message: string }

/** What it would cost to bring a server to what its instance says now, by what it was launched as, or was told since. */
export async function compare(
  workshop: Workshop,
  request: Omit<Request, 'serverId' | 'power' | 'from'>,
  server: Server,
): Promise<Comparison> {
  const { store, sealer, catalogs } = workshop
  const from = await unsealLaunch({ store, sealer }, server, server.spec.launch.sealed)
  const before = { spec: from, secrets: server.spec.secrets }
  const rendered = await render(workshop, { ...request, serverId: server.id, power: from.power, from: before })
  if (rendered.type === 'waiting') return { type: 'unknown', message: rendered.message }
  const { spec: to, secrets } = rendered.launch
  const same = { ...to, tags: from.tags }
  const fields = changedFields(from, to)
  const isNew = [...fields].some(field => field !== 'tags')
  // What was refused it never was: it is still what it was before.
  const applied = isRefused(server) ? server.status.applied : undefined
  const catalog = catalogOf(request.region, catalogs)
  if (!catalog.isKnown)
    return fields.size === 0 && !applied
      ? compared({ isChanged: false, isNew, effect: 'inPlace' }, { spec: from, secrets })
      : { type: 'unknown', message: 'its region does not answer' }
  const { capabilities } = catalog
  // Tags that cannot be changed there are those of the next server.
  const launch = capabilities.groups.update?.fields.tags === undefined ? same : to
  const isChanged = applied !== undefined || changedFields(from, launch).size > 0
  const is = applied ? await unsealLaunch({ store, sealer }, server, applied.launch) : from
  const changed = changedFields(is, launch)
  const effect = effectOfChange({ from: is, to: launch, changed, capabilities, server, request })
  return compared({ isChanged, isNew, effect }, { spec: launch, secrets })
}

const compared = (outdated: Outdated, launch: Launch): Comparison => ({ type: 'compared', outdated, launch })

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
