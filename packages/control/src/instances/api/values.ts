import type { Sealer, View } from '@stead/engine'
import type { LaunchSpec } from '@stead/provider-kit'
import { type FieldError, fail } from '../../errors/problem.ts'
import type { Place } from '../../identity/caller.ts'
import { resolveServiceImage } from '../../images/resolve.ts'
import { Network } from '../../networks/model.ts'
import { Organization } from '../../organizations/model.ts'
import { Project } from '../../projects/model.ts'
import type { Region } from '../../regions/model.ts'
import { type Instance, type InstanceSpec, networkOf } from '../model.ts'
import type { Resolving } from '../references.ts'
import { servicePath } from '../source/validate-secrets.ts'
import { type KeptValues, keepValues } from '../values/kept-values.ts'
import { maskedLaunch } from '../values/masked-launch.ts'
import type { UserData } from '../values/render-source.ts'
import { mentioned, type Surroundings } from '../values/surroundings.ts'
import { referencesIn } from '../values/template.ts'

export interface ValuesRequest {
  readonly sealer: Sealer
  readonly resolving: Resolving
  readonly region: Region
  readonly instance: Pick<Instance, 'id' | 'name' | 'labels'>
  /** Resolved, with the values of secret variables in the open where they are new. */
  readonly spec: InstanceSpec
  readonly userData: UserData | undefined
  /** What it was before. */
  readonly before?: Instance
}

export interface PreparedValues {
  /** With what stands for the values of secret variables. */
  readonly spec: InstanceSpec
  readonly kept: KeptValues
  readonly surroundings: Surroundings | undefined
  /** What would be launched, with this in place of each secret. */
  readonly masked: (mask: (identity: string) => string) => LaunchSpec
}

/** Takes secrets out of the values of an instance, and sees to it that everything in it can be rendered. */
export function prepareValues(request: ValuesRequest): PreparedValues {
  const { sealer, resolving, region, instance, userData, before } = request
  const { everything } = resolving
  const kept = keepValues(request.spec, before?.spec.variableValues ?? {}, sealer)
  const { variableValues: _, ...rest } = request.spec
  const spec: InstanceSpec = { ...rest, ...(kept.values && { variableValues: kept.values }) }
  const surroundings = neededOf(spec, userData, {
    ...around(everything, resolving.place, region, spec),
    ...before?.status.surroundings,
  })
  const parts = { instance: { ...instance, spec }, surroundings, userData, everything }
  const { launch, errors } = maskedLaunch({ ...parts, mask: () => '' })
  refuse([...errors, ...strangeImages(spec, launch, { ...resolving, region })])
  return {
    spec,
    kept,
    surroundings: Object.keys(surroundings).length === 0 ? undefined : surroundings,
    masked: mask => maskedLaunch({ ...parts, mask }).launch,
  }
}

function refuse(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw fail('invalid', 'not everything in it can be rendered', { errors })
}

/** Everything around an instance that it may refer to. */
function around(
  everything: View,
  { organizationId, projectId }: Place & { readonly type: 'project' },
  region: Region,
  spec: Pick<InstanceSpec, 'source'>,
): Surroundings {
  const network = networkOf(spec)
  const cidr = network === undefined ? undefined : everything.get(Network.kind, network)?.spec.cidr
  return {
    'organization.id': organizationId,
    'organization.name': everything.get(Organization.kind, organizationId)?.name ?? '',
    'project.id': projectId,
    'project.name': everything.get(Project.kind, projectId)?.name ?? '',
    'region.name': region.name ?? '',
    ...(cidr !== undefined && { 'network.cidr': cidr }),
  }
}

/** Of what is around it, what is named somewhere in it: nothing else need be kept. */
function neededOf(
  { source, variables }: InstanceSpec,
  userData: UserData | undefined,
  all: Surroundings,
): Surroundings {
  const texts = [
    JSON.stringify([source, variables]),
    userData?.isTemplate ? Buffer.from(userData.content).toString() : '',
  ]
  const named = new Set(texts.flatMap(referencesIn).filter(mentioned))
  return Object.fromEntries(Object.entries(all).filter(([reference]) => named.has(reference)))
}

/** What a text becomes must not be somebody's image: those are looked for where they are named. */
function strangeImages(
  { source }: InstanceSpec,
  launch: LaunchSpec,
  resolving: Resolving & { readonly region: Region },
): readonly FieldError[] {
  const services = source.services?.services ?? {}
  if (launch.source.type !== 'services') return []
  return Object.entries(launch.source.services).flatMap(([name, { image }]) => {
    const path = `${servicePath(name)}/image`
    return image === services[name]!.image || !resolveServiceImage(image, { ...resolving, field: path })
      ? []
      : [{ path, message: 'becomes an image of the project: name that itself' }]
  })
}
