import { fail } from '../errors/index.ts'
import type { Region } from './model.ts'

type Moded = Pick<Region, 'id' | 'name' | 'deletedAt' | 'spec'>

/** Refuses to put something new into a region that is not active. */
export function assertTakesNew({ id, name = id, deletedAt, spec: { mode } }: Moded): void {
  if (deletedAt !== undefined) throw fail('invalid_state', `the region ${name} is being deleted`)
  if (mode === 'active') return
  const why = mode === 'draining' ? 'is being drained' : 'is in maintenance'
  throw fail('invalid_state', `the region ${name} ${why}, and takes nothing new`, {
    suggestion: 'use another region, or ask whoever runs this one when it will be active again',
  })
}

/** Whether anything may be changed in its backend now. Looking is always allowed. */
export const mayAct = ({ spec: { mode } }: Pick<Region, 'spec'>): boolean => mode !== 'maintenance'
