import { isDeepStrictEqual } from 'node:util'
import { type ChangeSetBuilder, canonicalJson, type Ref, refOf, type Sealer, type View } from '@stead/engine'
import type { Static } from 'typebox'
import { lookUp } from '../door/find.ts'
import { fail } from '../errors/index.ts'
import { Organization } from '../organizations/model.ts'
import type { PatchValue, WriteValue } from '../resource/bodies.ts'
import { fieldsWrong, type Patched, patched, written } from '../resource/write.ts'
import { type SealedContent, sealInto } from '../sealed/model.ts'
import { flavorErrors } from './catalog/model.ts'
import type { RegionClients } from './clients.ts'
import { Region, type RegionSpec, RegionWriteSpec } from './model.ts'
import { providerErrors, refuseMisfit, unknownProvider, withDefaults } from './provider-fields.ts'

export interface Writing {
  readonly clients: Pick<RegionClients, 'definition' | 'kinds'>
  readonly sealer: Sealer
  readonly everything: View
}

type Fields = Readonly<Record<string, unknown>>

/** Reads the body of a new region: what it says, checked by its provider, with credentials still in the open. */
export function readNew(
  body: WriteValue<Static<typeof RegionWriteSpec>>,
  { clients, everything }: Omit<Writing, 'sealer'>,
) {
  const { spec: sent, ...fields } = written({ spec: RegionWriteSpec }, body)
  const { provider, credentials = {}, mode = 'active', organizations, flavors, images } = sent
  const definition = clients.definition(provider)
  if (!definition) throw unknownProvider(clients.kinds())
  const configuration = withDefaults(definition.configuration, sent.configuration ?? {}) as Fields
  refuseMisfit(provider, [
    ...providerErrors(definition, 'configuration', configuration),
    ...providerErrors(definition, 'credentials', credentials),
  ])
  refuseOdd(flavors)
  const spec: RegionSpec = {
    ...{ provider, configuration, mode },
    ...(organizations && { organizations: idsOf(everything, organizations) }),
    ...(flavors && { flavors }),
    ...(images && { images }),
  }
  return { ...fields, spec, credentials }
}

/** Reads a change of a region. Credentials that stand there as they were shown are unchanged; others replace them all. */
export function readChange(target: Region, body: PatchValue, writing: Omit<Writing, 'sealer'>): Change {
  const { clients, everything } = writing
  const { credentials: sent, ...rest } = body.spec ?? {}
  const organizations = isTexts(rest.organizations) ? { organizations: idsOf(everything, rest.organizations) } : {}
  const after = patched(Region, target, { ...body, spec: { ...rest, ...organizations } })
  if (after.changed('/spec/flavors')) refuseOdd(after.spec.flavors)
  const { provider } = target.spec
  const definition = clients.definition(provider)
  const isChanged = after.changed('/spec/configuration')
  const credentials = isUnchanged(sent, target.spec.credentials) ? undefined : (sent ?? {})
  if (!isChanged && credentials === undefined) return { after }
  if (!definition) throw fail('invalid_state', `this node has no provider ${provider}, which is needed to check this`)
  if (credentials !== undefined && !isFields(credentials))
    throw fieldsWrong([{ path: '/spec/credentials', message: 'must be object' }])
  const configuration = withDefaults(definition.configuration, after.spec.configuration) as Fields
  refuseMisfit(provider, [
    ...(isChanged ? providerErrors(definition, 'configuration', configuration) : []),
    ...(credentials === undefined ? [] : providerErrors(definition, 'credentials', credentials)),
  ])
  const spec = isChanged ? { ...after.spec, configuration } : after.spec
  return { after: { ...after, spec }, ...(credentials !== undefined && { credentials }) }
}

function refuseOdd(flavors: RegionSpec['flavors']): void {
  const errors = flavors ? flavorErrors(flavors) : []
  if (errors.length > 0) throw fail('invalid', 'some flavors make no sense', { errors: [...errors] })
}

export interface Change {
  readonly after: Patched<RegionSpec>
  /** The new ones, where they change; none at all is an empty object. */
  readonly credentials?: Fields
}

const isUnchanged = (sent: unknown, present: SealedContent | undefined) =>
  sent === undefined || (sent === null ? present === undefined : isDeepStrictEqual(sent, present))

/** Seals credentials beside their region, drops those they replace, and answers the spec with what stands for them. */
export function sealCredentials(
  set: ChangeSetBuilder,
  sealer: Sealer,
  { region, spec, credentials }: { readonly region: Ref; readonly spec: RegionSpec; readonly credentials: Fields },
): RegionSpec {
  const { credentials: before, ...rest } = spec
  const owner = refOf(region)
  const isNone = Object.keys(credentials).length === 0
  const content = Buffer.from(canonicalJson(credentials))
  const after = isNone ? undefined : sealInto(set, sealer, owner, content)
  // Content that was sealed before keeps its name, and is not dropped with itself.
  if (before && before.sealed !== after?.sealed) set.dropBlob(owner, before.sealed)
  return { ...rest, ...(after && { credentials: after }) }
}

/** Organizations are kept by id: one that takes over the name of another must not take over its regions. */
function idsOf(everything: View, texts: readonly string[]): string[] {
  const found = texts.map(text => lookUp(everything, Organization.kind, text)[0]?.id)
  const errors = found.flatMap((id, index) =>
    id === undefined ? [{ path: `/spec/organizations/${index}`, message: 'there is no such organization' }] : [],
  )
  if (errors.length > 0) throw fail('invalid', 'some organizations do not exist', { errors })
  return [...new Set(found as string[])]
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(each => typeof each === 'string')

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
