import type { ObjectDraft, StoredObject } from '@stead/engine'
import { labelsIn, type Tags } from '@stead/provider-kit'
import { seconds } from '@stead/world'
import { find } from '../../door/find.ts'
import type { Request } from '../../door/route.ts'
import type { Services } from '../../door/services.ts'
import { fail } from '../../errors/index.ts'
import type { Place } from '../../identity/caller.ts'
import type { Amounts } from '../../quotas/kinds.ts'
import { firstCatalogOf } from '../../regions/catalog/catalog-of.ts'
import { assertTakesNew } from '../../regions/modes.ts'
import { resolveRegion } from '../../regions/visibility.ts'
import { written } from '../../resource/write.ts'
import { movesGeneration } from '../agreement.ts'
import { amountsOf } from '../amounts.ts'
import type { InstanceRoom } from '../api/room.ts'
import { firstStatus, Instance, type InstanceSpec, type InstanceStatus, instances, type WrittenSpec } from '../model.ts'
import { exclusive } from '../operations.ts'
import { resolveSpec } from '../references.ts'
import { type Launch, render } from '../rendering.ts'
import { validate } from '../validate.ts'
import { inProgress, verbView } from '../verbs.ts'
import { type Claim, type Claiming, canRetag, claimOf, missingTags } from './claim.ts'
import { refuseOther, sourceOf } from './source.ts'

export interface AdoptRequest {
  readonly region: string
  readonly backendId: string
  readonly name?: string
  readonly displayName?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly spec?: Partial<Omit<WrittenSpec, 'region'>>
  readonly instance?: string
  readonly plan?: boolean
}

/** An adoption that was checked and not made yet. */
export interface Adoption {
  readonly claim: Claim
  /** The instance that it is adopted into, if that is there already. */
  readonly target: Instance | undefined
  /** What it becomes. */
  readonly draft: ObjectDraft<InstanceSpec, InstanceStatus>
  readonly generation: number
  readonly launch: Launch
  readonly power: { readonly found: 'on' | 'off'; readonly wanted: 'on' | 'off' }
  readonly amounts: Amounts
  /** What is written on it. */
  readonly tags: Tags
  readonly uses: readonly StoredObject[]
}

export type AdoptAsking = Pick<
  Request<unknown, unknown, AdoptRequest>,
  'body' | 'place' | 'objects' | 'caller' | 'traceId'
>

/** Reads what is to be adopted and says what it would become. Whatever stands in the way is refused here. */
export async function prepareAdoption(
  room: InstanceRoom,
  { body, place: anywhere, objects, caller }: AdoptAsking,
  { everything, world }: Pick<Services, 'everything' | 'world'>,
): Promise<Adoption> {
  const place = anywhere as Place & { readonly type: 'project' }
  refuseBothForms(body)
  refuseVariables(body)
  const region = resolveRegion(everything, place, body.region)
  assertTakesNew(region)
  const { clients, catalogs, store } = room
  const claim = await claimOf({ region, text: body.backendId, caller, place, everything, clients, world })
  const target =
    body.instance === undefined ? undefined : heirOf(find(objects, instances, body.instance), { region, everything })
  const catalog = await firstCatalogOf(region, catalogs)
  if (!catalog.isKnown) throw catalog.refusal
  const before = target?.spec.source as WrittenSpec['source'] | undefined
  const source = sourceOf({ info: claim.info, sent: body.spec?.source, before, offered: catalog, objects })
  const found = claim.info.state === 'stopped' ? 'off' : 'on'
  const said = { ...(target?.spec ?? { power: found }), ...body.spec, source, region: region.id } as WrittenSpec
  const made = target ?? newInstance({ body, spec: said, claim, place, caller, world })
  const spec = target ? said : (made.spec as WrittenSpec)
  const errors = validate(withoutUserData(spec)).concat(body.spec ? userDataErrors(body.spec) : [])
  if (errors.length > 0) throw fail('invalid', 'what was sent does not fit together', { errors })
  if (spec.source.machine?.keepAddresses) throw ownAddresses()
  const resolved = await resolveSpec(spec, { objects, everything, caller, place, catalogs }, target?.spec)
  const draft = { ...made, spec: resolved.spec as InstanceSpec }
  const generation = target ? target.generation + (movesGeneration(target, draft.spec) ? 1 : 0) : 1
  const wanted = draft.spec.power ?? 'on'
  const instance = { ...draft, generation, revision: 0 } as Instance
  const workshop = { store, sealer: room.sealer, catalogs }
  const rendering = { instance, region, everything, serverId: claim.serverId, power: wanted }
  const rendered = await render(workshop, rendering)
  if (rendered.type === 'waiting') throw fail('not_ready', rendered.message, { retryAfter: seconds(5) })
  const { launch } = rendered
  refuseOther(launch.spec, claim.info)
  return {
    ...{ claim, target, draft, generation, launch },
    power: { found, wanted },
    amounts: amountsOf(draft.spec, resolved.flavor),
    tags: canRetag(claim) ? missingTags(claim, launch.spec.tags) : {},
    uses: resolved.uses,
  }
}

/** What is there was made without them. */
function refuseVariables({ spec = {} }: AdoptRequest): void {
  const errors = ['variables', 'variableValues']
    .filter(field => Object.hasOwn(spec, field))
    .map(field => ({ path: `/spec/${field}`, message: 'cannot be given here: change the instance once it is adopted' }))
  if (errors.length > 0) throw fail('invalid', 'what is adopted was made without variables', { errors })
}

/** It was made without saying that they are to be kept, and may have others than the instance has. */
const ownAddresses = () =>
  fail('invalid', 'what is adopted comes with addresses of its own', {
    errors: [
      {
        path: '/spec/source/machine/keepAddresses',
        message: 'cannot be given here: change the instance once it is adopted',
      },
    ],
  })

function refuseBothForms({ instance, name, displayName, labels }: AdoptRequest): void {
  const isNew = instance === undefined
  const besides = Object.entries({ name, displayName, labels }).filter(([, value]) => value !== undefined)
  const errors = isNew
    ? name === undefined
      ? [{ path: '/name', message: 'is needed for a new instance; or say which instance it is of' }]
      : []
    : besides.map(([field]) => ({ path: `/${field}`, message: 'cannot be given: the instance has its own' }))
  if (errors.length > 0) throw fail('invalid', 'it is not clear what it is to become', { errors })
}

/** An instance that has lost what it ran on, or never had anything, can be given another. */
function heirOf(target: Instance, { region, everything }: Pick<Claiming, 'region' | 'everything'>): Instance {
  const { next } = target.status.slots
  const view = verbView(everything, target)
  const { active } = view
  const busy = exclusive(view)
  if (target.deletedAt !== undefined) throw fail('invalid_state', 'the instance is being deleted')
  if (busy) throw inProgress(busy)
  if (target.spec.region !== region.id) throw fail('invalid_state', 'the instance is in another region')
  if (next !== undefined || active?.deletedAt !== undefined)
    throw fail('not_ready', 'the instance is being made anew', { retryAfter: seconds(5) })
  if (active && !active.status.lost)
    throw fail('invalid_state', 'the instance has what it runs on: only one that has lost it can be given another')
  return target
}

type NewInstance = Pick<AdoptAsking, 'caller' | 'body'> & {
  readonly spec: WrittenSpec
  readonly claim: Claim
  readonly place: Place
  readonly world: Services['world']
}

/** Labels that it carries stay, unless others are given. */
function newInstance({ body, spec, claim, place, caller, world }: NewInstance) {
  const { name, displayName, labels = labelsIn(claim.info.tags) } = body
  const fields = written(Instance, {
    ...{ name: name!, labels, spec },
    ...(displayName !== undefined && { displayName }),
  })
  return Instance.draft({ world, place, caller, ...fields, status: firstStatus(world.now()) })
}

/** What is told to a system at its first boot cannot be told to one that has booted. */
const userDataErrors = ({ source }: NonNullable<AdoptRequest['spec']>) =>
  (['userData', 'userDataBase64'] as const).flatMap(field =>
    source?.machine?.[field] === undefined
      ? []
      : [{ path: `/spec/source/machine/${field}`, message: 'cannot be given: it has booted already' }],
  )

function withoutUserData(spec: WrittenSpec): WrittenSpec {
  if (!spec.source.machine) return spec
  const { userData: _, ...machine } = spec.source.machine
  return { ...spec, source: { ...spec.source, machine } }
}
