import { isRefused, type Server } from '../../servers/model.ts'
import type { Effect } from '../model.ts'
import { covers } from '../plan.ts'
import type { Draft, Trouble } from './draft.ts'
import { beginReplacement } from './replacement.ts'

/** Makes the server realise what the instance says now, as far as that was agreed to. */
export function follow(draft: Draft, active: Server): void {
  const { outdated } = draft.view
  const isAgain = draft.status.retry === true && isRefused(active)
  draft.unset('retry')
  if (outdated === undefined) return
  if (outdated === 'unknown') {
    // What a change would do cannot be told now: nobody else says when it can.
    draft.isWaiting()
    return
  }
  const { effect, isChanged, isNew } = outdated
  if (!isChanged) return
  if (isRefused(active) && !isNew && !isAgain) refuse(draft, active)
  else if (covers('restart', effect)) {
    draft.change(active, { follow: 'launch', ...(isAgain && { again: true }) })
    tellRotation(draft)
  } else destroy(draft, active, effect)
}

/** What is wanted was refused, and what there was goes on. The same is not tried again before somebody asks. */
function refuse(draft: Draft, active: Server): void {
  const { code, message } = active.status.refused!
  const { change } = draft.status
  if (change && !change.failed) draft.set({ change: { ...change, failed: true } })
  stand(draft, { reason: code, message })
}

/** Makes a change by which something is lost, where just that was agreed to. */
function destroy(draft: Draft, active: Server, effect: Effect): void {
  const { change } = draft.status
  if (change?.generation !== draft.view.instance.generation || !covers(change.effect, effect))
    stand(draft, { reason: 'NotAgreed', message: `the change needs allow=${effect}, which nobody gave` })
  else if (change.failed) {
    const message = 'the change was tried and given up; the old one is as it was. Change it again to try anew'
    stand(draft, { reason: 'ReplacementFailed', message })
  } else if (effect === 'rebuild') draft.change(active, { follow: 'launch', rebuild: true })
  else beginReplacement(draft, active, change)
}

/** What ends every change, unless something ends more than these. */
function stand(draft: Draft, trouble: Pick<Trouble, 'reason' | 'message'>): void {
  if (draft.trouble?.ends !== 'all') draft.trouble = { ...trouble, ends: 'changes' }
}

function tellRotation(draft: Draft): void {
  const { rotated = [] } = draft.view.secrets ?? {}
  if (rotated.length > 0)
    draft.tell('info', 'SecretsRotated', `it is given the newest version of ${rotated.join(', ')}`)
}
