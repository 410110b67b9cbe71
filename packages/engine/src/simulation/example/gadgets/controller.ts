import { seconds } from '@stead/world'
import { controller, owned } from '../../../controllers/index.ts'
import { again, ConflictError, done } from '../../../words/index.ts'
import { widgets } from '../widgets/model.ts'
import { changesOf } from './changes.ts'
import { decide } from './decide.ts'
import { type Gadget, gadgets } from './model.ts'

/** Gives each gadget its widgets. Nothing is made outside here: each widget has a controller for that. */
export const gadgetController = controller<Gadget>({
  name: 'gadgets',
  kind: gadgets,
  wakes: [owned(widgets)],
  async reconcile(gadget, context) {
    const { items } = context.cache.list({ kind: widgets, owner: gadget })
    try {
      for (const action of decide({ gadget, widgets: items }))
        await context.commit(changesOf(action, gadget, context.world))
      return done
    } catch (error) {
      // Others make room, and nobody tells us when.
      if (isQuotaFull(error)) return again(seconds(5), 'there is no room for more widgets')
      throw error
    }
  },
})

const isQuotaFull = (error: unknown) => error instanceof ConflictError && error.conflict.type === 'limit'
