import { changeSet } from '@stead/engine'
import type { World } from '@stead/world'
import { created } from '../../door/replies.ts'
import { type Route, route } from '../../door/route.ts'
import { secret } from '../../schema/secret.ts'
import { Type } from '../../schema/type.ts'
import { buildingOn } from '../../teardown/building.ts'
import { unauthenticated } from '../authentication/authenticate.ts'
import { Email } from '../invitations/model.ts'
import type { Guessing } from '../passwords/guessing.ts'
import { GivenPassword, passwordOf } from '../passwords/model.ts'
import type { Passwords } from '../passwords/passwords.ts'
import { arrival, isActive } from '../principals.ts'
import { findUsers } from '../users/api.ts'
import type { SessionCookie } from './cookie.ts'
import { Session } from './model.ts'
import { draftSession } from './open.ts'

export const NewSession = Type.Object(
  {
    csrfToken: secret(Type.String({ description: 'Send it as stead-csrf with each change.' })),
    ...Session.schema.properties,
  },
  { title: 'NewSession' },
)

export interface SignInSources {
  readonly world: World
  readonly passwords: Passwords
  readonly guessing: Guessing
  readonly cookie: SessionCookie
}

export function sessionRoutes({ world, passwords, guessing, cookie }: SignInSources): readonly Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/sessions',
      summary: 'Sign in to the console: answers with the session cookie',
      scope: 'platform',
      permission: 'public',
      body: Type.Object({ email: Email, password: GivenPassword }),
      replies: { 201: NewSession },
      refuses: ['unauthenticated'],
      async handle({ body, address }, { everything, conclude, triedAs, cameInAs }) {
        const email = body.email.toLowerCase()
        triedAs(email)
        guessing.count({ account: email, address })
        const [user] = findUsers(everything, email)
        const isRight = await passwords.verify(body.password, user && passwordOf(everything, user)?.spec.hash)
        // One answer, in one time, for an unknown email and a wrong password.
        if (!isRight || !isActive(user)) throw unauthenticated('the email or the password is wrong')
        const { text, draft, csrfToken } = draftSession(world, { user, address })
        cameInAs(arrival(user, draft.id))
        const set = buildingOn(changeSet(world).create(draft), user)
        return conclude(set, outcome => ({
          ...created(Session, outcome.object(draft), { csrfToken }),
          headers: { 'set-cookie': cookie.set(text) },
        }))
      },
    }),
  ]
}
