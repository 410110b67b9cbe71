import { changeSet } from '@stead/engine'
import { isoTime } from '@stead/world'
import type { Static } from 'typebox'
import { listQuery, listReply } from '../../door/list.ts'
import { accepted, created, ok } from '../../door/replies.ts'
import { type Reply, type Request, type Route, route } from '../../door/route.ts'
import type { Services } from '../../door/services.ts'
import type { LastUse } from '../../marks/last-use.ts'
import { DisplayName } from '../../resource/bodies.ts'
import { secret } from '../../schema/secret.ts'
import { Type } from '../../schema/type.ts'
import { buildingOn } from '../../teardown/building.ts'
import { resolveProject } from '../grants/resolve.ts'
import { refuseUnheld } from '../holding.ts'
import type { Principal } from '../principals.ts'
import { accountPlaces, accountTarget, refuseOfOther } from '../service-accounts/places.ts'
import { issueToken, lifetimeOf, tokenRights } from './issue.ts'
import { ScopePermissions, Token } from './model.ts'

export const TokenWrite = Type.Object(
  {
    displayName: Type.Optional(DisplayName),
    expiresIn: Type.Optional(Type.String({ description: 'A duration such as 24h; 90d unless said, at most 366d.' })),
    scope: Type.Optional(
      Type.Object(
        {
          permissions: Type.Optional(ScopePermissions),
          project: Type.Optional(Type.String({ description: 'Id or name: of no use anywhere else.' })),
        },
        { description: 'Narrows what the token may do below what its principal may.' },
      ),
    ),
  },
  { title: 'TokenWrite' },
)

/** The only answer that ever holds the token itself. */
export const NewToken = Type.Object(
  { token: secret(Type.String({ description: 'Shown once.' })), ...Token.schema.properties },
  { title: 'NewToken' },
)

/** Makes a token for a principal, which may do no more than the caller may. */
export function makeToken(
  { caller, place, body }: Pick<Request<unknown, unknown, Static<typeof TokenWrite>>, 'caller' | 'place' | 'body'>,
  { world, everything, conclude }: Services,
  principal: Principal,
): Promise<Reply> {
  const { displayName, expiresIn, scope: asked } = body
  const project =
    asked?.project === undefined ? undefined : resolveProject({ everything, caller, place }, asked.project)
  const scope = asked && {
    ...(asked.permissions && { permissions: asked.permissions }),
    ...(project && { projectId: project.projectId }),
  }
  refuseUnheld(caller, tokenRights(everything, principal.id, { scope, project }), 'this token')
  const { text, draft } = issueToken(world, {
    principal,
    caller,
    lifetime: lifetimeOf(expiresIn),
    ...(displayName !== undefined && { displayName }),
    ...(scope && { scope }),
  })
  const set = buildingOn(changeSet(world).create(draft), principal)
  return conclude(set, outcome => created(Token, outcome.object(draft), { token: text }))
}

/** Adds when each token of an answer was last used. */
export async function withLastUse(lastUse: Pick<LastUse, 'of'>, tokens: readonly Token[]) {
  const uses = await lastUse.of(tokens.map(({ id }) => id))
  return {
    ...Token,
    present(token: Token) {
      const at = uses.get(token.id)
      return { ...Token.present(token), status: { lastUsedAt: at === undefined ? null : isoTime(at) } }
    },
  }
}

const Account = Type.Object({ account: Type.String({ description: 'Id or name of the service account.' }) })

/** Tokens of service accounts, where those are. */
export const tokenRoutes = (lastUse: Pick<LastUse, 'of'>): readonly Route[] =>
  accountPlaces.flatMap(({ scope, path }) => {
    const collection = `${path}/:account/tokens`
    const account = accountTarget(scope)
    return [
      route({
        method: 'POST',
        path: collection,
        summary: 'Make a token for a service account; it is shown once',
        description: 'Whoever makes it must hold everything that it will allow.',
        scope,
        permission: 'tokens:create',
        target: account,
        body: TokenWrite,
        replies: { 201: NewToken },
        examples: { body: { expiresIn: '24h' } },
        handle: (request, services) => makeToken(request, services, request.target),
      }),
      route({
        method: 'GET',
        path: collection,
        summary: 'List the tokens of a service account',
        scope,
        permission: 'tokens:read',
        target: account,
        query: listQuery({}),
        replies: { 200: Token.list },
        async handle({ objects, place, query, target: owner }) {
          const only = { owner: { kind: owner.kind, id: owner.id } }
          const resource = await withLastUse(lastUse, objects.list({ kind: Token.kind, ...only }).items)
          return listReply({ objects, place, query, resource, only })
        },
      }),
      route({
        method: 'GET',
        path: `${collection}/:token`,
        summary: 'Read what a token is for; never the token itself',
        scope,
        permission: 'tokens:read',
        target: { kind: Token.kind },
        params: Account,
        replies: { 200: Token.schema },
        async handle({ target, objects, params }) {
          refuseOfOther(scope, objects, params.account, target)
          return ok(await withLastUse(lastUse, [target]), target)
        },
      }),
      route({
        method: 'DELETE',
        path: `${collection}/:token`,
        summary: 'Revoke a token: what it opened ends',
        scope,
        permission: 'tokens:delete',
        target: { kind: Token.kind },
        params: Account,
        replies: { 202: Token.schema },
        handle({ target, objects, params }, { world, conclude }) {
          refuseOfOther(scope, objects, params.account, target)
          return conclude(changeSet(world).remove(target), () => accepted(Token, target))
        },
      }),
    ]
  })
