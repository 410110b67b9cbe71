import { isDeepStrictEqual } from 'node:util'
import { type ChangeSetBuilder, refOf, type StoredObject } from '@stead/engine'
import { changedFields, type LaunchField } from '@stead/provider-kit'
import { lookUp } from '../../door/find.ts'
import type { Request } from '../../door/route.ts'
import type { Services } from '../../door/services.ts'
import { type FieldError, fail } from '../../errors/problem.ts'
import type { Place } from '../../identity/caller.ts'
import { Network } from '../../networks/model.ts'
import { allocationOf } from '../../quotas/charge.ts'
import type { Amounts } from '../../quotas/kinds.ts'
import type { OfferedFlavor } from '../../regions/catalog/offered.ts'
import { Region } from '../../regions/model.ts'
import type { PatchValue } from '../../resource/bodies.ts'
import { differences } from '../../resource/merge-patch.ts'
import { type Patched, patched } from '../../resource/write.ts'
import { unseal } from '../../sealed/model.ts'
import { activeOf } from '../active.ts'
import { amountsOf } from '../amounts.ts'
import { holds } from '../kept-addresses.ts'
import { attachedTo, Instance, type InstanceSpec, type WrittenSpec } from '../model.ts'
import { resolveSpec } from '../references.ts'
import { validate } from '../validate.ts'
import { replacingValues, sealValues } from '../values/kept-values.ts'
import { maskedLaunch } from '../values/masked-launch.ts'
import { openUserData, type UserData } from '../values/render-source.ts'
import { judgeChange, refusalBy, verbView } from '../verbs.ts'
import { type Planning, type Plans, plansOf } from './planning.ts'
import type { InstanceRoom } from './room.ts'
import { readUserData, refuseUnmergeable, type SentUserData, sealUserData, standingFor } from './user-data.ts'
import { type PreparedValues, prepareValues } from './values.ts'

export type ChangeRequest = Pick<
  Request<unknown, unknown, PatchValue, Instance>,
  'target' | 'body' | 'place' | 'objects' | 'caller'
>

/** A change that was read, checked and planned, and not made yet. */
export interface PreparedChange extends Plans {
  readonly labels: Readonly<Record<string, string>>
  readonly displayName: string | undefined
  readonly spec: InstanceSpec
  /** Its addresses were to be kept before this, and are not its own yet: a replacement would lose them. */
  readonly isTooEarly: boolean
  /** What it will be charged; undefined when that does not change. */
  readonly amounts: Amounts | undefined
  /** What it builds on, and did not before. */
  readonly attaches: readonly StoredObject[]
  /** Seals what belongs beside the instance, and drops what that replaces. */
  readonly seal: (set: ChangeSetBuilder) => void
  /** What it refers to around it, where that is new. */
  readonly values: PreparedValues | undefined
}

/** Reads a change of an instance and says what it would do. Only what changes, and what depends on it, is checked, unless all of it is asked for. */
export async function prepareChange(
  room: InstanceRoom,
  { target, body, place, objects, caller }: ChangeRequest,
  { everything }: Pick<Services, 'everything'>,
  { whole = false }: { readonly whole?: boolean } = {},
): Promise<PreparedChange> {
  const view = verbView(everything, target)
  const refusal = refusalBy(judgeChange(view), view)
  if (refusal) throw refusal
  const { patch, userData: sent } = readPatch(body, target, { everything, objects })
  const merged = patched(Instance as never, target as never, patch) as Patched<WrittenSpec>
  const isValued = merged.changed('/spec/variables') || merged.changed('/spec/variableValues')
  const isAsked = (path: string) => merged.changed(path) || (isValued && path.startsWith('/spec/variable'))
  const errors = madeWrong(target.spec, merged.spec, isAsked)
  if (errors.length > 0) throw fail('invalid', 'what was sent does not fit together', { errors })
  const isOther = whole || isValued || merged.changed('/spec/source') || sent.type !== 'kept'
  const resolving = {
    objects,
    everything,
    caller,
    place: place as Place & { type: 'project' },
    catalogs: room.catalogs,
  }
  const held = new Set([target.spec.region, ...Object.values(attachedTo(target)).flat()])
  const resolved = isOther ? await resolveSpec(merged.spec, resolving, target.spec) : undefined
  if (isOther) await checkUserData(room, target, merged.spec, sent)
  const before = target.spec.source.machine?.userData
  const hash =
    sent.type === 'new'
      ? standingFor(sent, { sealed: room.sealer.seal(sent.content).hash, sizeBytes: sent.content.length })
      : undefined
  const userData = sent.type === 'kept' ? before : hash
  const written = withUserData((resolved?.spec ?? merged.spec) as InstanceSpec, userData)
  const opened = isOther ? await openUserData(room, target) : undefined
  const values =
    resolved &&
    prepareValues({
      ...{ sealer: room.sealer, resolving, region: resolved.region, before: target, spec: written },
      instance: { id: target.id, name: target.name!, labels: merged.labels },
      userData: sent.type === 'new' ? sent : sent.type === 'kept' ? opened : undefined,
    })
  const spec = values?.spec ?? written
  const mustKeep = isKept(target.spec) && isKept(spec)
  const keepsAddresses = mustKeep && holds(activeOf(target, everything))
  const changes = differences(
    { displayName: target.displayName, labels: target.labels, spec: target.spec },
    { displayName: merged.displayName, labels: merged.labels, spec },
  )
  return {
    labels: merged.labels,
    displayName: merged.displayName,
    spec,
    // Whoever has agreed to a replacement before it was asked to keep them has been told that they are lost.
    isTooEarly: mustKeep && !keepsAddresses && target.status.change?.effect !== 'replace',
    ...plansOf(changes, {
      ...{ target, everything, spec, capabilities: resolved?.capabilities, keepsAddresses },
      rendered: before =>
        values && (isValued || before !== target.spec)
          ? renderedChanges({ ...target, spec: before }, { everything, userData: opened, values })
          : new Set(),
    }),
    amounts: resolved && amountsAfter(spec, resolved.flavor, { target, everything }),
    attaches: (resolved?.uses ?? []).filter(({ id }) => !held.has(id)),
    values,
    seal(set) {
      const owner = refOf(target)
      sealUserData(set, room.sealer, { owner, sent, before })
      if (!values) return
      const { kept } = values
      const others = userData ? [userData.sealed] : []
      sealValues(set, room.sealer, { owner, before: target.spec.variableValues ?? {}, kept, others })
    },
  }
}

/** What was wrong before, by older rules perhaps, and is not touched does not stand in the way of something else. */
function madeWrong(
  before: InstanceSpec,
  after: WrittenSpec,
  isAsked: (path: string) => boolean,
): readonly FieldError[] {
  const errors = validate(withoutUserData(after))
  if (errors.every(({ path }) => isAsked(path))) return errors
  const old = validate(withoutUserData(before))
  return errors.filter(error => isAsked(error.path) || !old.some(each => isDeepStrictEqual(each, error)))
}

interface RenderedBefore {
  readonly everything: Services['everything']
  readonly userData: UserData | undefined
  readonly values: PreparedValues
}

/** What other values change of what is launched. Secrets are compared by what stands for them. */
function renderedChanges(target: Instance, { everything, userData, values }: RenderedBefore): ReadonlySet<LaunchField> {
  const mask = (identity: string) => identity
  const surroundings = target.status.surroundings ?? {}
  const { launch } = maskedLaunch({ instance: target, surroundings, userData, everything, mask })
  return changedFields(launch, { ...values.masked(mask), tags: launch.tags })
}

interface PatchedSource {
  readonly machine?: Record<string, unknown> | null
  readonly services?: Record<string, unknown> | null
}

/** Texts that name what never changes become ids, so that saying the same in another way is no change. */
function readPatch(
  body: PatchValue,
  target: Instance,
  { everything, objects }: Pick<Services, 'everything'> & Pick<ChangeRequest, 'objects'>,
): { readonly patch: PatchValue; readonly userData: SentUserData } {
  const spec = body.spec as { region?: unknown; source?: PatchedSource | null; variableValues?: unknown } | undefined
  const machine = spec?.source?.machine
  const userData: SentUserData = machine
    ? readUserData(machine, target.spec.source.machine?.userData)
    : { type: 'kept' }
  if (!spec) return { patch: body, userData }
  const before = target.spec.variableValues ?? {}
  const values = 'variableValues' in spec ? { variableValues: replacingValues(before, spec.variableValues) } : {}
  const { userData: _, userDataBase64: _base64, ...rest } = machine ?? {}
  const idOf = (kind: string, text: unknown, view: typeof objects) =>
    typeof text === 'string' ? (lookUp(view, kind, text)[0]?.id ?? text) : text
  const region = 'region' in spec ? { region: idOf(Region.kind, spec.region, everything) } : {}
  const networked = (part: Record<string, unknown>) =>
    'network' in part ? { ...part, network: idOf(Network.kind, part.network, objects) } : part
  const services = spec.source?.services
  const named = { ...(machine && { machine: networked(rest) }), ...(services && { services: networked(services) }) }
  const source = spec.source ? { source: { ...spec.source, ...named } } : {}
  return { patch: { ...body, spec: { ...spec, ...region, ...source, ...values } }, userData }
}

/** What stands for user data is checked where it is read, not with the rest. */
const withoutUserData = (spec: WrittenSpec): WrittenSpec => withUserData(spec as InstanceSpec, undefined)

function withUserData(spec: InstanceSpec, userData: object | undefined): InstanceSpec {
  const { machine } = spec.source
  if (!machine) return spec
  const { userData: _, ...rest } = machine
  return { ...spec, source: { machine: { ...rest, ...(userData && { userData }) } as typeof machine } }
}

/** With an SSH authority, whichever of the two is new must fit the other. */
async function checkUserData(
  { store, sealer }: InstanceRoom,
  target: Instance,
  { source }: WrittenSpec,
  sent: SentUserData,
): Promise<void> {
  const { machine } = target.spec.source
  const authority = source.machine?.sshAuthority
  if (authority === undefined || sent.type === 'none') return
  if (sent.type === 'new') refuseUnmergeable(sent.content, sent.field)
  else if (machine?.userData && authority !== machine.sshAuthority)
    refuseUnmergeable(await unseal({ store, sealer }, target, machine.userData))
}

const isKept = ({ source }: Pick<InstanceSpec, 'source'>): boolean => source.machine?.keepAddresses === true

/** A flavor that is no longer offered is charged as it was. */
function amountsAfter(
  spec: InstanceSpec,
  flavor: OfferedFlavor | undefined,
  { target, everything }: Pick<Planning, 'target' | 'everything'>,
): Amounts | undefined {
  const now = target.status.due ?? allocationOf(everything, target)?.spec.amounts ?? {}
  const { machine } = spec.source
  if (!machine || flavor) return amountsOf(spec, flavor)
  const { diskGiB = now.diskGiB ?? 0, publicIp } = machine
  return { ...now, diskGiB, publicIps: publicIp ? 1 : 0 }
}
