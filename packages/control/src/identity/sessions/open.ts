import type { ObjectDraft } from '@stead/engine'
import { after, type World } from '@stead/world'
import { nobody } from '../caller.ts'
import { mint, readCredential } from '../credential.ts'
import type { User } from '../users/model.ts'
import { csrfTokenOf, Session, type SessionSpec, sessionLifetime } from './model.ts'

export interface NewSession {
  readonly user: Pick<User, 'kind' | 'id'>
  readonly address: string
  readonly claims?: Readonly<Record<string, unknown>>
}

/** A new session: what goes into the cookie, what the console must show besides, and what is kept. */
export function draftSession(world: World, { user, address, claims }: NewSession) {
  const { id, text, hash } = mint(world, 'ses')
  const draft: ObjectDraft<SessionSpec> = {
    ...Session.draft({
      world,
      id,
      place: { type: 'platform' },
      caller: { ...nobody, principalId: user.id },
      labels: {},
      spec: {
        principal: user.id,
        hash,
        expiresAt: after(world.now(), sessionLifetime),
        address,
        ...(claims && { claims }),
      },
      status: {},
    }),
    owner: { kind: user.kind, id: user.id },
  }
  return { text, draft, csrfToken: csrfTokenOf(readCredential('ses', text)!.secret) }
}
