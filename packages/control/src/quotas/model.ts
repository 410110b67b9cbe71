import type { Static } from 'typebox'
import type { AuditedKind } from '../audit/changes.ts'
import { present } from '../resource/present.ts'
import { Type } from '../schema/type.ts'
import { type QuotaKind, quotaKindNames, quotaKinds } from './kinds.ts'
import { quotas } from './limits.ts'
import { available, type Level } from './use.ts'

const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Limit = Type.Union([Count, Type.Null()])
const LevelName = Type.Enum(['project', 'organization'])
const Kind = Type.Enum([...quotaKindNames])

const eachKind = <Schema>(schema: (kind: QuotaKind) => Schema) =>
  Object.fromEntries(quotaKindNames.map(kind => [kind, schema(kind)])) as Record<QuotaKind, Schema>

/** How much of each kind. */
export const AmountsBody = Type.Object(
  eachKind(kind => Type.Optional(Type.Integer({ ...Count, description: quotaKinds[kind] }))),
  { title: 'Amounts' },
)

export const LimitsBody = Type.Object(
  {
    limits: Type.Object(
      eachKind(kind => Type.Optional(Type.Union([Count, Type.Null()], { description: quotaKinds[kind] }))),
    ),
  },
  { title: 'Limits' },
)
export type LimitsBody = Static<typeof LimitsBody>

/** How a change of limits is told. */
export const auditedQuota: AuditedKind = {
  kind: quotas,
  schema: Type.Object({ metadata: Type.Object({}), spec: Type.Object({ limits: AmountsBody }) }),
  present,
}

const Measured = Type.Object({ limit: Limit, used: Count })

export const QuotaEntry = Type.Object(
  {
    kind: Kind,
    limit: Type.Union([Count, Type.Null()], { description: 'The nearest limit that is set; null is unlimited.' }),
    used: Count,
    source: Type.Union([LevelName, Type.Null()], { description: 'Where the limit is set.' }),
    available: Type.Union([Count, Type.Null()], { description: 'How much more there can be, by all limits.' }),
    organization: Measured,
  },
  { title: 'Quota' },
)
export type QuotaEntry = Static<typeof QuotaEntry>

export const QuotaList = Type.Object({ quotas: Type.Array(QuotaEntry) }, { title: 'QuotaList' })

export const QuotaCheck = Type.Object(
  {
    fits: Type.Boolean(),
    blocking: Type.Array(Type.Object({ kind: Kind, level: LevelName, limit: Count, used: Count, asked: Count })),
  },
  { title: 'QuotaCheck' },
)

/** Every kind as it stands with somebody: their own use, and the nearest limit. */
export function presentQuotas(levels: readonly Level[]): Static<typeof QuotaList> {
  const [own] = levels
  const organization = levels.at(-1)!
  return {
    quotas: quotaKindNames.map(kind => {
      const nearest = levels.find(({ limits }) => limits[kind] !== undefined)
      return {
        kind,
        limit: nearest?.limits[kind] ?? null,
        used: own!.used[kind],
        source: nearest?.level ?? null,
        available: available(levels, kind),
        organization: { limit: organization.limits[kind] ?? null, used: organization.used[kind] },
      }
    }),
  }
}
