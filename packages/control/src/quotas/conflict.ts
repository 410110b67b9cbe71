import { type ConflictRule, onLimit } from '../door/conflicts.ts'
import { fail } from '../errors/index.ts'
import { counterPrefix, readCounter } from './counters.ts'

/** What a limit in the way means to a caller, on every route. */
export const quotaConflict: ConflictRule = onLimit(counterPrefix, ({ counter, limit, value: used, asked }) => {
  const { kind, project } = readCounter(counter)!
  const level = project === undefined ? 'organization' : 'project'
  return fail('quota_exceeded', `the ${level} uses ${used} of ${limit} ${kind}, and ${asked} more were asked for`, {
    extensions: { kind, level, limit, used, asked },
  })
})
