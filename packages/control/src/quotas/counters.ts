import { isQuotaKind, type QuotaKind } from './kinds.ts'

/** Whose use is counted: an organization's, or that of one of its projects. By id. */
export interface Payer {
  readonly organization: string
  readonly project?: string
}

export const counterPrefix = 'quota/'

/** The counter of the store that holds a payer's use and limit. Ids hold no slash. */
export const counterOf = ({ organization, project }: Payer, kind: QuotaKind): string =>
  project === undefined
    ? `${counterPrefix}${organization}/${kind}`
    : `${counterPrefix}${organization}/${project}/${kind}`

export interface QuotaCounter extends Payer {
  readonly kind: QuotaKind
}

/** What a counter counts; undefined when it is not one of a quota. */
export function readCounter(counter: string): QuotaCounter | undefined {
  if (!counter.startsWith(counterPrefix)) return undefined
  const parts = counter.slice(counterPrefix.length).split('/')
  const kind = parts.pop()
  const [organization, project] = parts
  if (!kind || !isQuotaKind(kind) || !organization || parts.length > 2) return undefined
  return project === undefined ? { organization, kind } : { organization, project, kind }
}

/** Everyone whose counters a charge moves. The project first: of two limits that are in the way, the nearer is told. */
export const payersOf = ({ organization, project }: Payer): readonly Payer[] =>
  project === undefined ? [{ organization }] : [{ organization, project }, { organization }]
