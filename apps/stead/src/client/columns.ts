import type { AnyObject, Instance, Operation, Region } from '@stead/sdk'
import type { Instant } from '@stead/world'
import { age } from './age.ts'
import { endpointsOf } from './endpoints.ts'
import type { Column } from './output.ts'

type Shown = AnyObject & {
  readonly metadata: { readonly labels?: Readonly<Record<string, string>>; readonly createdAt?: string }
}

const labelsOf = ({ metadata }: Shown): string =>
  Object.entries(metadata.labels ?? {})
    .map(([name, value]) => `${name}=${value}`)
    .join(',')

/** What everything has. */
const ends = (now: Instant): readonly Column<Shown>[] => [
  { head: 'AGE', show: ({ metadata }) => age(metadata.createdAt, now) },
  { head: 'ID', show: ({ metadata }) => metadata.id, wide: true },
  { head: 'LABELS', show: labelsOf, wide: true },
]

const nameOf: Column<Shown> = { head: 'NAME', show: ({ metadata }) => metadata.name ?? metadata.id }

const instanceColumns = (regions: ReadonlyMap<string, string>): readonly Column<Instance>[] => [
  { head: 'PHASE', show: ({ status }, paint) => paint.state(status.phase) },
  { head: 'READY', show: ({ status }, paint) => (status.ready ? paint.green('yes') : paint.yellow('no')) },
  { head: 'REGION', show: ({ spec }) => regions.get(spec.region ?? '') ?? spec.region ?? '' },
  { head: 'ENDPOINTS', show: instance => endpointsOf(instance).join(' ') },
  { head: 'HEALTH', show: ({ status }, paint) => paint.state(status.health), wide: true },
  {
    head: 'ADDRESSES',
    show: ({ status }) => [...status.addresses.public, ...status.addresses.private].join(' '),
    wide: true,
  },
]

const regionColumns: readonly Column<Region>[] = [
  { head: 'PROVIDER', show: ({ spec }) => spec.provider },
  { head: 'MODE', show: ({ spec }) => spec.mode },
  { head: 'HEALTH', show: ({ status }, paint) => paint.state(status.health) },
  { head: 'CAPABILITIES', show: ({ status }) => (status.capabilities ?? []).join(' '), wide: true },
]

/** Where it stands, by whichever word its kind has for that. */
const stateColumn: Column<Shown> = {
  head: 'STATE',
  show({ status }, paint) {
    const { phase, state } = (status ?? {}) as { phase?: string; state?: string }
    return paint.state(phase ?? state ?? '')
  },
}

const operationColumns = (now: Instant): readonly Column<Operation>[] => [
  { head: 'ID', show: ({ id }) => id },
  { head: 'TYPE', show: ({ type }) => type },
  { head: 'OF', show: ({ subject }) => subject.name ?? subject.id },
  { head: 'STATE', show: ({ state }, paint) => paint.state(state) },
  { head: 'AGE', show: ({ createdAt }) => age(createdAt, now) },
  { head: 'ERROR', show: ({ error }) => error?.message ?? '', wide: true },
]

/** The columns of a kind. */
export function columnsOf(kind: string, now: Instant, regions: ReadonlyMap<string, string>): readonly Column<never>[] {
  if (kind === 'operation') return operationColumns(now) as readonly Column<never>[]
  const middle: Readonly<Record<string, readonly Column<never>[]>> = {
    instance: instanceColumns(regions) as readonly Column<never>[],
    region: regionColumns as readonly Column<never>[],
  }
  return [nameOf, ...(middle[kind] ?? [stateColumn]), ...ends(now)] as readonly Column<never>[]
}
