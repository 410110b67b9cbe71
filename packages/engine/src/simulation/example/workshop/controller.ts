import { seconds } from '@stead/world'
import { changeSet } from '../../../change-set-builder.ts'
import { controller } from '../../../controllers/index.ts'
import { again, type Store } from '../../../words/index.ts'
import type { Outside } from '../outside/api.ts'
import { tombstones, widgets } from '../widgets/model.ts'
import { decide } from './decide.ts'
import { type Workshop, workshops } from './model.ts'

interface Tools {
  readonly outside: Outside
  readonly store: Pick<Store, 'records'>
}

const list = { name: 'list', mutates: false, deadline: seconds(5) } as const
const remove = { name: 'remove', mutates: true, deadline: seconds(5) } as const

/** Looks over everything outside with one call, instead of asking for each widget. */
export const workshopController = ({ outside, store }: Tools) => {
  /** Written when a widget is given up, in the same change-set: no view that is old can be wrong about it. */
  const wasGivenUp = async (widgetId: string) =>
    (await store.records({ ...tombstones, subject: widgetId, limit: 1 })).length > 0

  return controller<Workshop>({
    name: 'workshop',
    kind: workshops,
    async reconcile(_, context) {
      const things = await context.outside(list, signal => outside.list(signal))
      const { doubtful, strangers } = decide({ things, widgets: context.cache.list({ kind: widgets }).items })
      for (const widget of doubtful) {
        const status = { ...widget.status, phase: 'doubtful' as const }
        await context.commit(changeSet(context.world).update(widget, { status }))
      }
      for (const { widgetId, token } of strangers)
        if (await wasGivenUp(widgetId)) await context.outside(remove, signal => outside.remove(token, signal))
      return again(seconds(10), 'looking again')
    },
  })
}
