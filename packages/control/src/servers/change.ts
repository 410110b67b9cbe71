import {
  changedFields,
  type Groups,
  type LaunchField,
  type LaunchSpec,
  type MachineSize,
  type ServerState,
} from '@stead/provider-kit'

/** A change of what a launched server is made of. */
export interface ChangeView {
  /** What the backend is at. */
  readonly from: LaunchSpec
  readonly to: LaunchSpec
  /** A new disk was asked for. */
  readonly rebuild: boolean
  readonly state: ServerState
  readonly groups: Groups
}

export type ChangeStep =
  /** First the size, where it changes; then the rest; and besides what a rebuild leaves as it is. Each is safe to repeat. */
  | {
      readonly type: 'apply'
      readonly resize?: MachineSize
      readonly rest: 'nothing' | 'update' | 'rebuild'
      readonly besides?: boolean
    }
  /** The region takes a new size only while it is stopped. */
  | { readonly type: 'stop' }
  /** Not now: it is on its way to another state. */
  | { readonly type: 'wait' }
  | { readonly type: 'impossible'; readonly fields: readonly LaunchField[] }

const sizes: ReadonlySet<LaunchField> = new Set(['flavor', 'disk'])
const besidesDisk: ReadonlySet<LaunchField> = new Set(['tags', 'addresses'])
/** What a new disk does not bring. */
const notOnDisk: ReadonlySet<LaunchField> = new Set([...sizes, ...besidesDisk])

/** How a launched server becomes what it should be, in place. What that cannot do is never tried: it would be a replacement. */
export function decideChangeStep({ from, to, rebuild, state, groups }: ChangeView): ChangeStep {
  // Power is not part of it: it is wanted, reached and lost on its own.
  const changed = [...changedFields(from, { ...to, power: from.power })]
  const isMachine = from.source.type === 'machine' && to.source.type === 'machine'
  const canResize = groups.resize !== undefined && isMachine
  const bySize = canResize ? changed.filter(field => sizes.has(field)) : []
  const others = changed.filter(field => !bySize.includes(field))
  const isFixed = (field: LaunchField) => groups.update?.fields[field] === undefined
  const impossible = others.filter(field => isFixed(field) && (!rebuild || notOnDisk.has(field)))
  if (impossible.length > 0 || (rebuild && !groups.rebuild)) return { type: 'impossible', fields: impossible }
  if (bySize.length > 0) {
    const wanted = groups.resize!.while
    if (state !== wanted) return wanted === 'stopped' && state === 'running' ? { type: 'stop' } : { type: 'wait' }
  }
  const rest = rebuild ? 'rebuild' : others.length > 0 ? 'update' : 'nothing'
  const besides = rebuild && changed.some(field => besidesDisk.has(field))
  return { type: 'apply', ...(bySize.length > 0 && { resize: sizeOf(to) }), rest, ...(besides && { besides }) }
}

function sizeOf({ source }: LaunchSpec): MachineSize {
  if (source.type !== 'machine') throw new Error('only a machine has a size')
  return { flavor: source.flavor, ...(source.diskGiB !== undefined && { diskGiB: source.diskGiB }) }
}

/** What the backend is at when only the size has changed. */
export const resized = (from: LaunchSpec, size: MachineSize): LaunchSpec =>
  from.source.type === 'machine' ? { ...from, source: { ...from.source, ...size } } : from
