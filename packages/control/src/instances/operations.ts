import type { OpenOperation } from '../operations/model.ts'
import type { Server } from '../servers/model.ts'
import type { Draft } from './decide/draft.ts'
import type { Instance } from './model.ts'
import { isRebuilding, isRestarting } from './project.ts'

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

/** What an operation moves of an instance: its power, what is launched for it, or whether anything is there at all. */
export type Moved = 'power' | 'content' | 'existence'

/** What operations move that do not say it themselves, as changes do. */
const movedBy: Readonly<Record<OperationType, Moved>> = {
  ...{ create: 'existence', adopt: 'existence', recreate: 'existence', delete: 'existence' },
  ...{ start: 'power', stop: 'power', restart: 'power', suspend: 'power', unsuspend: 'power' },
  ...{ update: 'content', scale: 'content', rebuild: 'content', replace: 'content' },
}

type Asked = Pick<OpenOperation['spec'], 'type' | 'moves'>

const movesOf = ({ type, moves = [movedBy[type as OperationType]] }: Asked): readonly string[] => moves

/** Whether it moves power at the most: then it is done when that is as wanted, whatever becomes of changes. */
export const isOfPower = (asked: Asked): boolean => movesOf(asked).every(moved => moved === 'power')

/** Whether it is of policies and labels: all that it asks for is so once it is accepted. */
export const movesNothing = (asked: Asked): boolean => movesOf(asked).length === 0

/** Those that a new one makes void, because it moves the same and the newer is meant. A delete makes all of them so. */
export function superseded(open: readonly OpenOperation[], asked: Asked): readonly OpenOperation[] {
  const moves = movesOf(asked)
  return open.filter(({ spec }) => asked.type === 'delete' || movesOf(spec).some(moved => moves.includes(moved)))
}

interface Disturbed {
  readonly instance: Pick<Instance, 'status'>
  readonly active: Server | undefined
  readonly open: readonly OpenOperation[]
}

/** The one that nothing but a delete may disturb: a replacement or a new disk, from when its intent is written. */
export function exclusive({ instance, active, open }: Disturbed): OpenOperation | undefined {
  const { replacement, charged } = instance.status
  const hasBegun = replacement !== undefined || charged !== undefined || (active !== undefined && isRebuilding(active))
  return hasBegun ? open.find(({ spec }) => spec.type === 'replace' || spec.type === 'rebuild') : undefined
}

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
