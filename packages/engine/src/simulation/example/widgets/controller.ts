import { seconds } from '@stead/world'
import { changeSet } from '../../../change-set-builder.ts'
import { controller, letGo, type ReconcileContext } from '../../../controllers/index.ts'
import { again, done, park, type Result, retry } from '../../../words/index.ts'
import { type Outside, OutsideError } from '../outside/api.ts'
import { decide, type WidgetAction } from './decide.ts'
import { outsideFinalizer, slotKey, tokenOf, tombstone, type Widget, widgetQuota, widgets } from './model.ts'

/** Makes each widget exist outside, once. A crash at any line leads to the same end: the token names what was meant. */
export const widgetController = (outside: Outside) =>
  controller<Widget>({
    name: 'widgets',
    kind: widgets,
    async reconcile(widget, context) {
      try {
        const thing = await context.outside(calls.find, signal => outside.find(tokenOf(widget), signal))
        return await perform(decide({ widget, thing }), widget, { outside, context })
      } catch (error) {
        return explain(error)
      }
    },
  })

const calls = {
  find: { name: 'find', mutates: false, deadline: seconds(3) },
  make: { name: 'make', mutates: true, deadline: seconds(5) },
  remove: { name: 'remove', mutates: true, deadline: seconds(5) },
} as const

interface Tools {
  readonly outside: Outside
  readonly context: ReconcileContext
}

async function perform(action: WidgetAction, widget: Widget, { outside, context }: Tools): Promise<Result> {
  const { world } = context
  const { id, status } = widget
  const token = tokenOf(widget)
  switch (action) {
    case 'make': {
      const request = { token, widgetId: id, color: widget.spec.color }
      const thing = await context.outside(calls.make, signal => outside.make(request, signal))
      // A token that was used before may answer with something that has died since.
      return perform(decide({ widget, thing }), widget, { outside, context })
    }
    case 'report-made':
      await context.commit(changeSet(world).update(widget, { status: { ...status, phase: 'made' } }))
      return done
    case 'replace':
      await context.outside(calls.remove, signal => outside.remove(token, signal))
      await context.commit(
        changeSet(world).update(widget, { status: { ...status, phase: 'making', attempt: status.attempt + 1 } }),
      )
      return done
    case 'clear-away':
      await context.outside(calls.remove, signal => outside.remove(token, signal))
      return again(seconds(0), 'to see whether it is gone')
    case 'forget':
      await context.commit(
        letGo(changeSet(world), widget, outsideFinalizer, set =>
          set.release(slotKey(widget.owner!.id, widget.spec.slot), id).move(widgetQuota, -1).record(tombstone(id)),
        ),
      )
      return done
    case 'nothing':
      return done
  }
}

/** What cannot work is parked until the user changes it; what may work later is tried again. */
function explain(error: unknown): Result {
  if (!(error instanceof OutsideError)) throw error
  return error.failure === 'invalid' ? park('Unpaintable', error.message) : retry(error)
}
