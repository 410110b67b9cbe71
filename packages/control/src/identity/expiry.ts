import { again, type Controller, changeSet, controller, done, type Kind, type StoredObject } from '@stead/engine'
import { type Duration, days, type Instant, millis } from '@stead/world'
import type { Tell } from '../audit/deeds.ts'
import { Invitation } from './invitations/model.ts'
import { Session } from './sessions/model.ts'
import { Token } from './tokens/model.ts'

/** A token stays in the list for a while after its end, so that whoever wonders why it fails finds out. */
const tokensRemain: Duration = days(30)

type Expiring = StoredObject<{ readonly expiresAt?: Instant }>

/** Removes what has expired. Nothing depends on when: an expired credential is refused from its last moment on. */
export function expiryController<T extends Expiring>(
  tell: Tell,
  kind: Kind<T>,
  remains: Duration = millis(0),
): Controller {
  const name = `${kind}-expiry`
  return controller<T>({
    name,
    kind,
    async reconcile(object, context) {
      const { expiresAt } = object.spec
      if (expiresAt === undefined) return done
      const left = expiresAt + remains - context.world.now()
      if (left > 0) return again(millis(Math.min(left, days(1))), 'it has not expired yet')
      const set = changeSet(context.world).remove(object)
      tell(set, { controller: name, action: `${kind}s:delete`, object, onBehalfOf: undefined }, context.cache)
      await context.commit(set)
      return done
    },
  })
}

export const expiryControllers = (tell: Tell): readonly Controller[] => [
  expiryController(tell, Session.kind),
  expiryController(tell, Invitation.kind),
  expiryController(tell, Token.kind, tokensRemain),
]
