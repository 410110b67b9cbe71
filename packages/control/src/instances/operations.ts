import type { OpenOperation } from '../operations/model.ts'
import type { Draft } from './decide/draft.ts'
import { isRestarting } from './project.ts'

/** Everything that is done to instances, and what each goes through. */
export const operationSteps = {
  create: ['provision', 'boot'],
  adopt: ['claim'],
  recreate: ['clear', 'provision', 'boot'],
  start: ['start'],
  stop: ['stop'],
  restart: ['restart'],
  suspend: ['stop'],
  unsuspend: ['start'],
  update: ['apply'],
  scale: ['apply'],
  rebuild: ['rebuild', 'boot'],
  replace: ['prepare', 'launch', 'retire'],
  delete: ['terminate'],
} as const satisfies Record<string, readonly string[]>

export type OperationType = keyof typeof operationSteps

/** What moves power contradicts whatever else moves it: the newer is meant. */
const ofPower: ReadonlySet<string> = new Set(['start', 'stop', 'restart', 'suspend', 'unsuspend'])

export const isOfPower = (type: string): boolean => ofPower.has(type)

/** Those that a new one makes void. A delete makes all of them so. */
export const superseded = (
  open: readonly OpenOperation[],
  { type, movesPower = ofPower.has(type) }: { readonly type: OperationType; readonly movesPower?: boolean },
): readonly OpenOperation[] => open.filter(({ spec }) => type === 'delete' || (movesPower && ofPower.has(spec.type)))

/** The one that nothing but a delete may disturb. */
export const exclusive = (open: readonly OpenOperation[]): OpenOperation | undefined =>
  open.find(({ spec }) => spec.type === 'replace' || spec.type === 'rebuild')

/** How far an operation of a type has come, by what there is. */
export function currentStep(type: string, draft: Draft): string {
  const { status } = draft
  const active = draft.server('active')
  switch (type as OperationType) {
    case 'recreate':
      if (active?.deletedAt !== undefined) return 'clear'
      return active?.status.backendId === undefined ? 'provision' : 'boot'
    case 'create':
      return active?.status.backendId === undefined ? 'provision' : 'boot'
    case 'rebuild':
      return active && !isRestarting(active) && draft.view.outdated === undefined ? 'boot' : 'rebuild'
    case 'replace':
      if (status.slots.next !== undefined || status.replacement?.givenUp !== undefined) return 'launch'
      return status.replacement || status.change ? 'prepare' : 'retire'
    default:
      return operationSteps[type as OperationType][0]!
  }
}
