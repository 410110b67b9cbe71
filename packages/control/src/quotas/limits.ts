import { type ChangeSetBuilder, kindOf, type ObjectDraft, type StoredObject, type View } from '@stead/engine'
import type { Instant } from '@stead/world'
import { counterOf, type Payer } from './counters.ts'
import { isQuotaKind, type QuotaKind, quotaKindNames } from './kinds.ts'

/** The most of each kind; a kind that is left out is unlimited. */
export type Limits = Readonly<Partial<Record<QuotaKind, number>>>

export interface QuotaSpec {
  readonly limits: Limits
}

/**
 * The limits of one organization or project, under its id. The counters enforce them; this is what is read, watched and
 * audited. Both are written in one change-set, so they cannot differ.
 */
export type Quota = StoredObject<QuotaSpec>

export const quotas = kindOf<Quota>('quota')

const quotaOf = (everything: Pick<View, 'get'>, { organization, project }: Payer): Quota | undefined =>
  everything.get(quotas, project ?? organization)

export const limitsOf = (everything: Pick<View, 'get'>, payer: Payer): Limits =>
  quotaOf(everything, payer)?.spec.limits ?? {}

/**
 * Replaces the limits of an organization or project. One below what is in use is allowed: it only stops growth.
 * Answers the quota as it is put; undefined when it is so already.
 */
export function setLimits(
  set: ChangeSetBuilder,
  everything: Pick<View, 'get'>,
  request: Payer & { readonly limits: Limits; readonly at: Instant },
): ObjectDraft<QuotaSpec> | undefined {
  const { organization, project, at } = request
  const limits = checkedLimits(request.limits)
  const quota = quotaOf(everything, request)
  const before = quota?.spec.limits ?? {}
  const changed = quotaKindNames.filter(kind => limits[kind] !== before[kind])
  if (changed.length === 0) return undefined
  for (const kind of changed) set.limit(counterOf(request, kind), limits[kind] ?? null)
  if (quota) {
    set.update(quota, { spec: { limits } })
    return { ...quota, spec: { limits } }
  }
  const draft = {
    kind: quotas,
    id: project ?? organization,
    organizationId: organization,
    ...(project !== undefined && { projectId: project }),
    labels: {},
    finalizers: [],
    createdAt: at,
    spec: { limits },
    status: {},
  }
  set.create(draft)
  return draft
}

function checkedLimits(limits: Limits): Limits {
  const unknown = Object.keys(limits).find(kind => !isQuotaKind(kind))
  if (unknown !== undefined) throw new Error(`there is no quota kind ${unknown}`)
  return Object.fromEntries(quotaKindNames.flatMap(kind => (limits[kind] === undefined ? [] : [[kind, limits[kind]]])))
}
