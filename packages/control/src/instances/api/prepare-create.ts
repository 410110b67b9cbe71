import type { ObjectDraft } from '@stead/engine'
import type { Static } from 'typebox'
import type { Request } from '../../door/route.ts'
import type { Services } from '../../door/services.ts'
import { fail } from '../../errors/index.ts'
import type { Place } from '../../identity/caller.ts'
import { written } from '../../resource/write.ts'
import { firstStatus, Instance, type InstanceSpec, type InstanceStatus } from '../model.ts'
import { type ResolvedSpec, resolveSpec } from '../references.ts'
import { validate } from '../validate.ts'
import type { InstanceRoom } from './room.ts'
import { readUserData, refuseUnmergeable, type SentUserData, standingFor } from './user-data.ts'
import { type PreparedValues, prepareValues } from './values.ts'

export type CreateRequest = Pick<
  Request<unknown, unknown, Static<typeof Instance.write>, unknown>,
  'body' | 'caller' | 'place' | 'objects'
>

/** A new instance that was read and checked, and is not made yet. */
export interface PreparedCreate {
  /** Without its spec: that is among the values. */
  readonly base: Omit<ObjectDraft<InstanceSpec, InstanceStatus>, 'spec'>
  readonly resolved: ResolvedSpec
  readonly userData: SentUserData
  readonly values: PreparedValues
}

/** Reads a new instance, and finds what it refers to. */
export async function prepareCreate(
  room: InstanceRoom,
  { body, caller, place: anywhere, objects }: CreateRequest,
  { world, everything }: Pick<Services, 'world' | 'everything'>,
  /** What is shown in place of an id that it will not have. */
  { id }: { readonly id?: string } = {},
): Promise<PreparedCreate> {
  const place = anywhere as Place & { type: 'project' }
  const { spec: sent, ...fields } = written(Instance, body)
  const errors = validate(sent)
  if (errors.length > 0) throw fail('invalid', 'what was sent does not fit together', { errors })
  const resolving = { objects, everything, caller, place, catalogs: room.catalogs }
  const resolved = await resolveSpec(sent, resolving)
  const userData = userDataOf(resolved)
  const status = firstStatus(world.now())
  const { spec: _, ...base } = Instance.draft({ world, place, caller, ...fields, spec: sent, status })
  const values = prepareValues({
    ...{
      sealer: room.sealer,
      resolving,
      region: resolved.region,
      instance: { ...base, name: fields.name, ...(id !== undefined && { id }) },
    },
    spec: keptSpec(resolved, userData, room),
    userData: userData.type === 'new' ? userData : undefined,
  })
  return { base, resolved, userData, values }
}

function userDataOf({ spec }: ResolvedSpec): SentUserData {
  const { machine } = spec.source
  if (!machine) return { type: 'none' }
  const sent = readUserData(machine, undefined)
  if (sent.type === 'new' && machine.sshAuthority !== undefined) refuseUnmergeable(sent.content, sent.field)
  return sent
}

/** The spec with what stands for user data. */
function keptSpec({ spec }: ResolvedSpec, sent: SentUserData, { sealer }: InstanceRoom): InstanceSpec {
  const { machine, ...source } = spec.source
  if (!machine) return { ...spec, source }
  const { userData: _, userDataBase64: _base64, ...rest } = machine
  if (sent.type !== 'new') return { ...spec, source: { machine: rest } }
  const content = { sealed: sealer.seal(sent.content).hash, sizeBytes: sent.content.length }
  return { ...spec, source: { machine: { ...rest, userData: standingFor(sent, content) } } }
}
