import type { Store, View } from '@stead/engine'
import { onKey } from '../../door/conflicts.ts'
import { route } from '../../door/route.ts'
import { allocationOf } from '../../quotas/charge.ts'
import { limitsOf } from '../../quotas/limits.ts'
import { blocking, readLevels } from '../../quotas/use.ts'
import { DisplayName } from '../../resource/bodies.ts'
import { Labels, Name } from '../../resource/model.ts'
import { Type } from '../../schema/type.ts'
import { backendKeyPrefix } from '../../servers/model.ts'
import { type Adoption, type AdoptRequest, prepareAdoption } from '../adopting/adoption.ts'
import { alreadyManaged } from '../adopting/claim.ts'
import { commitAdoption } from '../adopting/commit.ts'
import { InstanceSpec, Source } from '../model.ts'
import { nameTaken } from './create.ts'
import { Accepted, collection, type InstanceRoutes } from './room.ts'

const { region: _region, source: _source, ...policies } = InstanceSpec.properties

const AdoptBody = Type.Object(
  {
    region: Type.String({ minLength: 1, maxLength: 255, description: 'Where it is, by id or name.' }),
    backendId: Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'What the backend calls it, or the id of the orphan that it was reported as.',
    }),
    name: Type.Optional(Name),
    displayName: Type.Optional(DisplayName),
    labels: Type.Optional(Labels),
    instance: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'An instance that has lost what it ran on, and is to have this instead of becoming a new one.',
      }),
    ),
    spec: Type.Optional(
      Type.Object(
        { ...policies, source: Type.Optional(Source) },
        { description: 'What it is made of, where the region cannot tell; and what is wanted of it.' },
      ),
    ),
    plan: Type.Optional(Type.Boolean({ description: 'Only say what would become of it.' })),
  },
  { title: 'Adopt' },
)

const Quantity = Type.Object({
  kind: Type.String(),
  limit: Type.Integer(),
  used: Type.Integer(),
  asked: Type.Integer(),
})

const AdoptionPlan = Type.Object(
  {
    backendId: Type.String(),
    instance: Type.Object(
      {
        id: Type.Optional(Type.String({ description: 'Of the one that is there already.' })),
        name: Type.String(),
        labels: Labels,
        spec: Type.Unknown(),
      },
      { description: 'What it becomes.' },
    ),
    charges: Type.Record(Type.String(), Type.Integer(), { description: 'What it is charged from then on.' }),
    blocking: Type.Array(Quantity, { description: 'Limits that are in the way.' }),
    tags: Type.Record(Type.String(), Type.String(), { description: 'What is written on it.' }),
    differences: Type.Array(
      Type.Object({ field: Type.Enum(['power']), wanted: Type.Unknown(), found: Type.Unknown() }),
      { description: 'What is not as it is wanted, and is made so after it was adopted.' },
    ),
  },
  { title: 'AdoptionPlan' },
)

/** Two at once: one of them has it. */
const adoptedMeanwhile = onKey(backendKeyPrefix, () => alreadyManaged())

export const adoptRoutes: InstanceRoutes = room => [
  route({
    method: 'POST',
    path: `${collection}/adopt`,
    summary:
      'Make an instance of something that is in a region already, or give it to one that has lost what it ran on',
    description: [
      'It is neither restarted nor changed, but for tags that say whose it is. It must be known to nobody: neither to this',
      'control plane nor to another. Who does not run regions can only adopt what names their project in its tag',
      '`stead.project-id`: whoever may write that there has it already. With `plan`, only what would become of it is answered.',
    ].join(' '),
    scope: 'project',
    permission: 'instances:adopt',
    body: AdoptBody,
    replies: { 200: AdoptionPlan, 201: Accepted, 202: Accepted },
    refuses: ['unsupported', 'unavailable'],
    conflicts: [nameTaken, adoptedMeanwhile],
    examples: { body: { region: 'east', backendId: 'i-0a1b2c3d', name: 'web-1', plan: true } },
    async handle(request, services) {
      const asking = { ...request, body: request.body as AdoptRequest }
      const adoption = await prepareAdoption(room, asking, services)
      if (!asking.body.plan) return commitAdoption(room, services, asking, adoption)
      return { status: 200, body: await planned(adoption, room.store, services.everything) }
    },
  }),
]

async function planned(adoption: Adoption, store: Pick<Store, 'counters'>, everything: View) {
  const { claim, target, draft, amounts, tags, power } = adoption
  const { wanted, found } = power
  return {
    backendId: claim.info.id,
    instance: { ...(target && { id: target.id }), name: draft.name, labels: draft.labels, spec: draft.spec },
    charges: amounts,
    blocking: await inTheWay(adoption, store, everything),
    tags,
    differences: wanted === found ? [] : [{ field: 'power', wanted, found }],
  }
}

/** An instance that is there is charged the difference. */
async function inTheWay({ target, draft, amounts }: Adoption, store: Pick<Store, 'counters'>, everything: View) {
  const before = (target && allocationOf(everything, target)?.spec.amounts) ?? {}
  const more = Object.entries(amounts).map(
    ([kind, asked]) => [kind, asked - (before[kind as 'instances'] ?? 0)] as const,
  )
  const asked = Object.fromEntries(more.filter(([, amount]) => amount > 0))
  const payer = { organization: draft.organizationId!, project: draft.projectId! }
  return blocking(await readLevels(store, each => limitsOf(everything, each), payer), asked)
}
