import { stateTable } from '../../state-table.ts'

/** This cloud's own words. `error` is a server that did not come up: its disk is there and it can be started again. */
export const states = stateTable({
  building: 'pending',
  starting: 'pending',
  active: 'running',
  stopping: 'stopping',
  halted: 'stopped',
  error: 'stopped',
  deleting: 'terminating',
  deleted: 'terminated',
})

export type CloudState = keyof typeof states.rows
