import { differencesOf, tellAll } from '../differences.ts'
import type { Draft } from './draft.ts'

/** Tells what is found, and leaves it so: what the store does not remember may be why it is. */
export function look(draft: Draft): void {
  const active = draft.server('active')
  if (!active) return
  const found = differencesOf(draft.view.instance, active)
  if (active.status.lost) draft.trouble = { reason: 'ServerLost', message: tellAll(found) }
  else if (found.length > 0) draft.drift = tellAll(found)
}
