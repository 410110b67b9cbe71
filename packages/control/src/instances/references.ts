import type { StoredObject, View } from '@stead/engine'
import type { Capabilities, LaunchSpec } from '@stead/provider-kit'
import { type FieldError, fail } from '../errors/problem.ts'
import { Image, isImageId } from '../images/model.ts'
import { needsOf, resolveImage, resolveServiceImage } from '../images/resolve.ts'
import { Network } from '../networks/model.ts'
import type { Realised } from '../realised/model.ts'
import { catalogOf, firstCatalogOf, flavorIn, imageIn } from '../regions/catalog/catalog-of.ts'
import type { RegionCatalogs } from '../regions/catalog/catalogs.ts'
import type { OfferedFlavor } from '../regions/catalog/offered.ts'
import { regionFor } from '../regions/default.ts'
import type { Region } from '../regions/model.ts'
import { SecurityGroup } from '../security-groups/model.ts'
import { SshAuthority } from '../ssh-authorities/model.ts'
import { type FittingImage, misfits } from './fit.ts'
import { meant, type Seeking } from './meant.ts'
import { type InstanceSpec, networkOf, type WrittenSpec } from './model.ts'
import type { MachineSource, WrittenMachine } from './source/machine.ts'
import type { ServicesSource } from './source/services.ts'
import { servicePath } from './source/validate-secrets.ts'
import { resolveSecrets } from './values/resolve-secrets.ts'

export interface Resolving extends Seeking {
  readonly everything: View
  readonly catalogs: RegionCatalogs
}

export interface ResolvedSpec {
  /** References are ids; user data stands there as it was written. */
  readonly spec: Omit<InstanceSpec, 'source'> & { readonly source: WrittenSpec['source'] }
  readonly region: Region
  readonly flavor: OfferedFlavor | undefined
  readonly capabilities: Capabilities
  /** What the instance builds on, and must be there when it is committed. */
  readonly uses: readonly StoredObject[]
}

const machineField = '/spec/source/machine'

/**
 * Finds what a spec refers to, as its project sees it, and whether it fits. What is as it was before is taken as it is:
 * an image that is no longer offered never stands in the way of another change.
 */
export async function resolveSpec(
  asked: WrittenSpec,
  resolving: Resolving,
  before?: InstanceSpec,
): Promise<ResolvedSpec> {
  const { machine } = asked.source
  const named = networkOf(asked)
  const network = named === undefined ? undefined : meant(Network, named, resolving)
  const region = findRegion(asked, resolving, { network, before })
  const catalog = await firstCatalogOf(region, resolving.catalogs)
  if (!catalog.isKnown) throw catalog.refusal
  refuseUnsupported(asked, region, catalog.capabilities.sources)
  const { capabilities } = catalog
  if (machine?.keepAddresses && !before?.source.machine?.keepAddresses) refuseKeeping(region, capabilities)
  const { spec: written, secrets } = resolveSecrets(asked, { ...resolving, capabilities, before })
  if (!machine) {
    const { services, own } = findServiceImages(written.source.services!, { region, before }, resolving)
    const source = { services: { ...services, ...(network && { network: network.id }) } }
    const spec = { ...written, region: region.id, source }
    const uses = [region, ...(network ? [network] : []), ...own, ...secrets] as StoredObject[]
    return { spec, region, flavor: undefined, capabilities, uses }
  }
  const offering = findOffering({ machine, catalog, region, before: before?.source.machine }, resolving)
  const groups = (machine.securityGroups ?? []).map(text => findGroup(text, network, resolving))
  const authority =
    machine.sshAuthority === undefined ? undefined : meant(SshAuthority, machine.sshAuthority, resolving)
  const resolved = {
    ...machine,
    ...offering.named,
    ...(network && { network: network.id }),
    ...(machine.securityGroups && { securityGroups: groups.map(({ id }) => id) }),
    ...(authority && { sshAuthority: authority.id }),
  }
  return {
    spec: { ...written, region: region.id, source: { machine: resolved } },
    region,
    flavor: offering.flavor,
    capabilities,
    uses: [region, network, ...groups, authority, offering.own, ...secrets].filter(
      object => object !== undefined,
    ) as StoredObject[],
  }
}

/** An instance is where its network is. */
function findRegion(
  { region: named, source }: WrittenSpec,
  { everything, place }: Resolving,
  { network, before }: { readonly network: Network | undefined; readonly before: InstanceSpec | undefined },
): Region {
  const region = regionFor(everything, place, named ?? network?.spec.region ?? before?.region)
  if (!network || network.spec.region === region.id) return region
  throw fail('invalid', 'the network is in another region', {
    errors: [
      { path: '/spec/region', message: 'is not the region of the network' },
      { path: `/spec/source/${typeOf(source)}/network`, message: 'is in another region' },
    ],
  })
}

const typeOf = ({ machine }: WrittenSpec['source']): 'machine' | 'services' => (machine ? 'machine' : 'services')

function refuseUnsupported({ source }: WrittenSpec, { name }: Region, sources: readonly string[]): void {
  const type = typeOf(source)
  if (sources.includes(type)) return
  throw fail('unsupported', `the region ${name} runs ${sources.join(', ') || 'nothing'}, and no ${type}`, {
    errors: [{ path: `/spec/source/${type}`, message: 'is not supported in this region' }],
  })
}

/** Told when it is asked for, not when it is replaced and they are lost. */
function refuseKeeping({ name }: Region, { groups }: Capabilities): void {
  if (groups.addresses) return
  throw fail('unsupported', `the region ${name} cannot keep the addresses of machines`, {
    errors: [{ path: `${machineField}/keepAddresses`, message: 'is not supported in this region' }],
  })
}

type Known = Extract<Awaited<ReturnType<typeof firstCatalogOf>>, { isKnown: true }>

interface OfferingRequest {
  readonly machine: WrittenMachine
  readonly catalog: Known
  readonly region: Region
  readonly before: MachineSource | undefined
}

/** Flavor and image: both must be there for the project where they are new, and fit each other where one of them is. */
function findOffering({ machine, catalog, region, before }: OfferingRequest, resolving: Resolving) {
  const flavor = flavorIn(catalog, machine.flavor)
  const isNew = machine.flavor !== before?.flavor
  const errors: FieldError[] = []
  if (!flavor && isNew) errors.push({ path: `${machineField}/flavor`, message: 'is not offered in this region' })
  const image = findImage({ machine, catalog, region, before }, resolving)
  const isOther = isNew || image.isNew || machine.diskGiB !== before?.diskGiB
  if (flavor && image.fitting && isOther)
    errors.push(...misfits({ flavor, image: image.fitting, diskGiB: machine.diskGiB }))
  if (errors.length > 0) throw fail('invalid', 'flavor and image do not fit', { errors })
  const named = { flavor: flavor?.name ?? machine.flavor, image: image.id }
  return { flavor, named, own: image.own }
}

/** One that it has already is taken as it is, whatever became of it. */
function findImage({ machine, catalog, region, before }: OfferingRequest, resolving: Resolving) {
  const everybodys = imageIn(catalog, machine.image)
  if (before?.image === machine.image) {
    const own = resolving.everything.get<Image>(Image.kind, machine.image)
    const fitting: FittingImage | undefined = own ? needsOf(own) : everybodys
    return { id: machine.image, isNew: false, own: undefined, fitting }
  }
  const found = resolveImage(machine.image, { ...resolving, region, field: `${machineField}/image`, offered: catalog })
  const { own } = found
  const id = own?.id ?? found.backendId
  return { id, isNew: id !== before?.image, own, fitting: own ? found : (everybodys as FittingImage | undefined) }
}

/** What services are made of: images of the project by id, anything else as it is written. */
function findServiceImages(
  source: ServicesSource,
  { region, before }: { readonly region: Region; readonly before: InstanceSpec | undefined },
  resolving: Resolving,
) {
  const own: Image[] = []
  const services = Object.entries(source.services).map(([name, service]) => {
    if (before?.source.services?.services[name]?.image === service.image) return [name, service] as const
    const image = resolveServiceImage(service.image, { ...resolving, region, field: `${servicePath(name)}/image` })
    if (image) own.push(image)
    return [name, image ? { ...service, image: image.id } : service] as const
  })
  return { services: { ...source, services: Object.fromEntries(services) }, own }
}

function findGroup(text: string, network: Network | undefined, resolving: Resolving) {
  const group = meant(SecurityGroup, text, resolving)
  if (group.spec.network === network?.id) return group
  throw fail('invalid', `the security group ${JSON.stringify(text)} belongs to another network`, {
    errors: [
      { path: `${machineField}/securityGroups`, message: 'must belong to the network of the machine' },
      { path: `${machineField}/network`, message: 'is not the network of its security groups' },
    ],
  })
}

/** What an instance refers to in the words of its backend, or what is waited for until that can be said. */
export type BackendWords =
  | {
      readonly type: 'known'
      readonly flavor?: string
      readonly image?: string
      /** Of services: their own images, by id. */
      readonly images?: ReadonlyMap<string, string>
      readonly network?: string
      readonly securityGroups?: readonly string[]
      /** The SSH authority that it trusts. */
      readonly authority?: SshAuthority
    }
  | { readonly type: 'waiting'; readonly message: string }

/** Looks up the backend's own words. `from` is what was launched before: what it has needs no looking up. */
export function backendWords(
  { source }: Pick<InstanceSpec, 'source'>,
  {
    everything,
    region,
    catalogs,
  }: { readonly everything: View; readonly region: Region; readonly catalogs: RegionCatalogs },
  from?: { readonly flavor: string; readonly launch: LaunchSpec },
): BackendWords {
  const { machine } = source
  if (!machine) return serviceWords(source.services!, everything)
  const flavor = flavorWord(machine.flavor, { region, catalogs }, from)
  if (flavor === undefined)
    return { type: 'waiting', message: `what the flavor ${machine.flavor} is cannot be told now` }
  const own = everything.get<Image>(Image.kind, machine.image)
  const image = own ? own.status.backendId : machine.image
  if (image === undefined) return { type: 'waiting', message: `waits for the image ${own?.name}` }
  const network = machine.network === undefined ? undefined : everything.get(Network.kind, machine.network)
  const groups = (machine.securityGroups ?? []).map(id => everything.get(SecurityGroup.kind, id))
  const missing = [...(machine.network === undefined ? [] : [network]), ...groups].find(isOnItsWay)
  if (missing !== undefined) return { type: 'waiting', message: `waits for the ${missing.kind} ${missing.name}` }
  if (groups.includes(undefined) || (machine.network !== undefined && !network))
    return { type: 'waiting', message: 'its network or one of its security groups is gone' }
  const authority =
    machine.sshAuthority === undefined ? undefined : everything.get(SshAuthority.kind, machine.sshAuthority)
  if (machine.sshAuthority !== undefined && !authority) return { type: 'waiting', message: 'its SSH authority is gone' }
  return {
    type: 'known',
    flavor,
    image,
    ...(network && { network: network.status.backendId! }),
    ...(machine.securityGroups && { securityGroups: groups.map(group => group!.status.backendId!) }),
    ...(authority && { authority }),
  }
}

/** Not in its region yet, or there and not finished: clouds refuse for good what is launched into that. */
const isOnItsWay = (object: Realised | undefined): boolean =>
  object !== undefined && (object.status.backendId === undefined || object.status.state === 'pending')

/** Which images of the project its services are made of, as the backend calls them. */
function serviceWords({ services, network: attached }: ServicesSource, everything: View): BackendWords {
  const network = attached === undefined ? undefined : everything.get(Network.kind, attached)
  if (attached !== undefined && !network) return { type: 'waiting', message: 'its network is gone' }
  if (isOnItsWay(network)) return { type: 'waiting', message: `waits for the network ${network!.name}` }
  const own = Object.values(services)
    .map(({ image }) => (isImageId(image) ? everything.get<Image>(Image.kind, image) : undefined))
    .filter(image => image !== undefined)
  const missing = own.find(({ status }) => status.backendId === undefined)
  if (missing) return { type: 'waiting', message: `waits for the image ${missing.name}` }
  const images = new Map(own.map(({ id, status }) => [id, status.backendId!]))
  return { type: 'known', images, ...(network && { network: network.status.backendId! }) }
}

function flavorWord(
  name: string,
  { region, catalogs }: { readonly region: Region; readonly catalogs: RegionCatalogs },
  from: { readonly flavor: string; readonly launch: LaunchSpec } | undefined,
): string | undefined {
  if (from?.flavor === name && from.launch.source.type === 'machine') return from.launch.source.flavor
  const catalog = catalogOf(region, catalogs)
  return (catalog.isKnown ? flavorIn(catalog, name)?.backendId : undefined) ?? undefined
}
