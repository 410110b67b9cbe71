import type { BaseStatus, ObjectDraft, View } from '@stead/engine'
import { after, type Duration, days, formatDuration, millis, parseDuration, type World } from '@stead/world'
import { fail } from '../../errors/index.ts'
import type { Caller, Place } from '../caller.ts'
import { mint } from '../credential.ts'
import { placeOf } from '../grants/model.ts'
import type { Rights } from '../holding.ts'
import type { Principal } from '../principals.ts'
import { covers, heldBy, permissionsOf } from '../rights.ts'
import { inScope, Token, type TokenScope, type TokenSpec } from './model.ts'

const defaultLifetime: Duration = days(90)
/** Long enough for yearly rotation. What must live longer is made again. */
const longestLifetime: Duration = days(366)

export const lifetimeOf = (text: string | undefined): Duration =>
  durationOf(text, { otherwise: defaultLifetime, atMost: longestLifetime })

/** How long something is to live, as its maker said in `expiresIn`. */
export function durationOf(
  text: string | undefined,
  { otherwise, atMost }: { readonly otherwise: Duration; readonly atMost: Duration },
): Duration {
  if (text === undefined) return otherwise
  const duration = parseDuration(text) ?? millis(0)
  if (duration > 0 && duration <= atMost) return duration
  const message =
    duration > atMost ? `must be at most ${formatDuration(atMost)}` : 'must be a duration such as 15m, 24h or 90d'
  throw fail('invalid', `expiresIn ${message}`, { errors: [{ path: '/expiresIn', message }] })
}

export interface NewToken {
  readonly principal: Pick<Principal, 'kind' | 'id' | 'organizationId'>
  readonly caller: Caller
  /** None: it lives until it is revoked. */
  readonly lifetime?: Duration
  readonly displayName?: string
  readonly scope?: TokenScope
}

/** A new token: what is shown once, and what is kept. It is where its principal is, and goes with it. */
export function issueToken(world: World, { principal, caller, lifetime, displayName, scope }: NewToken): Issued {
  const { id, text, hash } = mint(world, 'tok')
  const draft = Token.draft({
    world,
    id,
    place: placeOf(principal),
    caller,
    labels: {},
    ...(displayName !== undefined && { displayName }),
    spec: {
      principal: principal.id,
      hash,
      ...(lifetime !== undefined && { expiresAt: after(world.now(), lifetime) }),
      ...(scope && { scope }),
    },
    status: {},
  })
  return { text, draft: { ...draft, owner: { kind: principal.kind, id: principal.id } } }
}

export interface Issued {
  readonly text: string
  readonly draft: ObjectDraft<TokenSpec, BaseStatus>
}

/** All that a token of this scope would allow: who makes it must hold as much. */
export function tokenRights(
  everything: View,
  principalId: string,
  { scope, project }: { readonly scope: TokenScope | undefined; readonly project: Place | undefined },
): readonly Rights[] {
  return heldBy(everything, principalId)
    .filter(held => !project || covers(held.place, project))
    .map(held => {
      const place = project ?? held.place
      const permissions = [...permissionsOf(everything, held)].filter(each => inScope(scope, each, place))
      return { permissions, place }
    })
}
