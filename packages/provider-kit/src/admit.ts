import type { Capabilities } from './capabilities.ts'
import { ProviderError } from './errors.ts'
import type { LaunchSpec } from './launch-spec.ts'
import { assertOwned, type Owner, ownTags, type Tags } from './tags.ts'

/** Refuses, before anything starts, a launch of a kind the provider lacks, and one whose server could never be stopped again. */
export function admitLaunch(spec: LaunchSpec, owner: Owner, capabilities: Capabilities): void {
  if (!capabilities.sources.includes(spec.source.type))
    throw new ProviderError('Unsupported', `a ${spec.source.type} source is not supported here`)
  if (spec.source.type === 'machine' && spec.source.keepAddresses && !capabilities.groups.addresses)
    throw new ProviderError('Unsupported', 'addresses cannot be kept here')
  admitTags(spec, owner)
  if (!spec.tags[ownTags.serverId])
    throw new ProviderError('InvalidConfig', `${spec.name} has no ${ownTags.serverId} tag`)
}

/** The same for any other create. */
export function admitTags(spec: { readonly name: string; readonly tags: Tags }, owner: Owner): void {
  try {
    assertOwned({ id: spec.name, tags: spec.tags }, owner.controlPlane)
  } catch (error) {
    throw new ProviderError('InvalidConfig', `${spec.name} does not carry the tags that prove it ours`, {
      cause: error,
    })
  }
}
