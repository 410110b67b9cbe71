import { again, type Controller, changeSet, controller, done, type Kind, type StoredObject } from '@stead/engine'
import { type Duration, days, type Instant, millis } from '@stead/world'
import { Invitation } from './invitations/model.ts'
import { Session } from './sessions/model.ts'
import { Token } from './tokens/model.ts'

/** A token stays in the list for a while after its end, so that whoever wonders why it fails finds out. */
const tokensRemain: Duration = days(30)

type Expiring = StoredObject<{ readonly expiresAt?: Instant }>

/** Removes what has expired. Nothing depends on when: an expired credential is refused from its last moment on. */
const expiryController = <T extends Expiring>(kind: Kind<T>, remains: Duration = millis(0)): Controller =>
  controller<T>({
    name: `${kind}-expiry`,
    kind,
    async reconcile(object, context) {
      const { expiresAt } = object.spec
      if (expiresAt === undefined) return done
      const left = expiresAt + remains - context.world.now()
      if (left > 0) return again(millis(Math.min(left, days(1))), 'it has not expired yet')
      await context.commit(changeSet(context.world).remove(object))
      return done
    },
  })

export const expiryControllers: readonly Controller[] = [
  expiryController(Session.kind),
  expiryController(Invitation.kind),
  expiryController(Token.kind, tokensRemain),
]
