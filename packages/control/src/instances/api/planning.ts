import type { Capabilities, LaunchField } from '@stead/provider-kit'
import type { Services } from '../../door/services.ts'
import { differences, type FieldChange } from '../../resource/merge-patch.ts'
import { within } from '../../schema/pointer.ts'
import { isRefused } from '../../servers/model.ts'
import { activeOf } from '../active.ts'
import { unmade } from '../agreement.ts'
import type { Instance, InstanceSpec } from '../model.ts'
import { exclusive, type Moved } from '../operations.ts'
import { type Plan, type PlanState, plan } from '../plan.ts'
import { seen } from '../project.ts'
import { inProgress, verbView } from '../verbs.ts'

export interface Planning {
  readonly target: Instance
  readonly everything: Services['everything']
  /** What is to be wanted. */
  readonly spec: InstanceSpec
  readonly capabilities: Capabilities | undefined
  readonly keepsAddresses: boolean
  /** What other values of variables change of what is launched. */
  readonly rendered: (before: InstanceSpec) => ReadonlySet<LaunchField>
}

/** Where nothing that is launched changes, what the region can do does not matter. */
const nothingKnown: Capabilities['groups'] = {}

export interface Plans {
  /** What a change does by itself. */
  readonly plan: Plan
  /** What it does with what was agreed to before and was given up, where that is tried anew with it. */
  readonly planAnew: Plan
  /** What was wanted of what runs. */
  readonly before: InstanceSpec
}

/** Plans a change from what runs: that is not what was wanted last, where something was agreed to and is not so. */
export function plansOf(changes: readonly FieldChange[], planning: Planning): Plans {
  const { target, everything, spec, capabilities, keepsAddresses, rendered } = planning
  const agreed = unmade(target, activeOf(target, everything))
  const { before = target.spec } = agreed ?? {}
  const state: PlanState = {
    capabilities: capabilities ?? ({ groups: nothingKnown } as Capabilities),
    source: target.spec.source.machine ? 'machine' : 'services',
    server: serverOf(target, everything),
    keepsAddresses,
    rendered: rendered(before),
  }
  const planAnew = plan(changes, { ...state, ...(agreed && { pending: agreed.effect }) })
  if (!movedBy({ changes }).includes('content')) return { plan: plan(changes, state), planAnew, before }
  if (!agreed?.before) return { plan: planAnew, planAnew, before }
  return { plan: plan(changes, { ...state, apart: differences({ spec: before }, { spec }) }), planAnew, before }
}

function serverOf(target: Instance, everything: Services['everything']): PlanState['server'] {
  const active = activeOf(target, everything)
  if (!active) return 'none'
  const found = seen(active, target)
  if (found.type === 'refused') return 'none'
  return found.type === 'down' && found.why === 'told' ? 'off' : 'on'
}

/** What is moved by changes: policies and labels move nothing. */
export const movedBy = ({ changes }: { readonly changes: readonly FieldChange[] }): readonly Moved[] => [
  ...new Set(changes.flatMap(({ path }) => moved(path) ?? [])),
]

function moved(path: string): Moved | undefined {
  if (within(path, '/spec/power')) return 'power'
  return path.startsWith('/spec/source') || path.startsWith('/spec/variable') ? 'content' : undefined
}

/** Whether what is wanted was tried, and will not be again before somebody asks. */
export function isGivenUp(target: Instance, { everything }: Pick<Services, 'everything'>): boolean {
  const active = activeOf(target, everything)
  return target.status.change?.failed === true || (active !== undefined && isRefused(active))
}

/** Whether it is switched on where nothing is: that is a start, and what was refused is tried again by it. */
export const startsAnew = (
  { changes }: Plan,
  target: Instance,
  { everything }: Pick<Services, 'everything'>,
): boolean =>
  changes.some(({ path, to }) => moved(path) === 'power' && to !== 'off') && serverOf(target, everything) === 'none'

/** Refuses whatever would come between a replacement and its end. */
export function refuseBusy(target: Instance, { everything }: Pick<Services, 'everything'>): void {
  const busy = exclusive(verbView(everything, target))
  if (busy) throw inProgress(busy)
}
