import type { NewToken, Token } from '@stead/sdk'
import type { Act } from '../cli/define.ts'
import { age } from '../client/age.ts'
import { collect } from '../client/collect.ts'
import type { Session } from '../client/session.ts'
import { given } from '../client/values.ts'
import { StartError } from '../exit-codes.ts'

interface TokensFlags {
  readonly expiresIn?: string
  readonly account?: string
}

/** `stead tokens [create [name] | revoke <id>]`: one's own, or those of a service account. */
export const tokens: Act<TokensFlags> = async (session, { args, flags }) => {
  const [verb = 'list', name] = args
  const { out } = session
  const kept = keptBy(session, flags.account)
  if (verb === 'list') show(session, await kept.list())
  else if (verb === 'create') {
    const made = await kept.create(given({ displayName: name, expiresIn: flags.expiresIn }))
    // The token alone on standard output, so that it can go where it is needed and nowhere else.
    if (!out.isJson) out.note(`token ${made.metadata.id}, shown this once; it ends ${made.spec.expiresAt ?? 'never'}`)
    out.result(made.token, made)
  } else if (verb === 'revoke') {
    if (name === undefined) throw new StartError('usage', '`stead tokens revoke` needs the id of a token')
    await kept.revoke(name)
    out.result(`token ${name} is revoked`, { revoked: name })
  } else throw new StartError('usage', `\`stead tokens\` knows create and revoke, not ${verb}`)
}

interface Kept {
  list(): Promise<readonly Token[]>
  create(body: { displayName?: string; expiresIn?: string }): Promise<NewToken>
  revoke(token: string): Promise<unknown>
}

function keptBy({ stead, connection }: Session, account: string | undefined): Kept {
  if (account === undefined)
    return {
      list: () => collect(stead.list('GET /v1/me/tokens')),
      create: body => stead.call('POST /v1/me/tokens', { body }),
      revoke: token => stead.call('DELETE /v1/me/tokens/{token}', { path: { token } }),
    }
  const path = { organization: connection.project.split('/')[0]!, account }
  const route = '/v1/organizations/{organization}/service-accounts/{account}/tokens'
  return {
    list: () => collect(stead.list(`GET ${route}`, { path })),
    create: body => stead.call(`POST ${route}`, { path, body }),
    revoke: token => stead.call(`DELETE ${route}/{token}`, { path: { ...path, token } }),
  }
}

function show({ out, world }: Session, found: readonly Token[]): void {
  const now = world.now()
  if (out.isJson) out.json(found)
  else
    out.table<Token>(
      [
        { head: 'ID', show: ({ metadata }) => metadata.id },
        { head: 'NAME', show: ({ metadata }) => metadata.displayName ?? '' },
        { head: 'AGE', show: ({ metadata }) => age(metadata.createdAt, now) },
        { head: 'ENDS', show: ({ spec }) => spec.expiresAt ?? 'never' },
      ],
      found,
    )
}
