import type { Draft } from './draft.ts'

/** Ends an instance: what it runs on goes first, and it itself, with all it was charged, only when that is gone. */
export function end(draft: Draft): void {
  const { servers, operations, region } = draft.view
  if (!operations.some(({ spec }) => spec.type === 'delete')) draft.act({ type: 'begin', operation: 'delete' })
  for (const operation of operations)
    if (operation.spec.type !== 'delete') draft.act({ type: 'end', operation, state: 'superseded' })
  if (servers.length === 0) {
    draft.act({ type: 'forget' })
    return
  }
  for (const server of servers) draft.remove(server)
  const failed = servers.find(({ status }) => status.failure)?.status.failure
  if (region === 'still')
    draft.trouble = { reason: 'RegionInMaintenance', message: 'nothing is done in its region until that is over' }
  else if (failed) draft.trouble = { reason: failed.code, message: failed.message }
}
