import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { askRunning } from '../admin/client.ts'
import { StartError } from '../exit-codes.ts'
import { type Context, contextFile, readContexts } from './context-file.ts'

/** What every command that speaks to a Stead takes. */
export interface ClientFlags {
  readonly url?: string
  readonly context?: string
  readonly project?: string
  readonly json?: boolean
}

/** A context, and where it was found. */
export interface Connection extends Context {
  readonly origin: string
}

const defaultUrl = 'http://127.0.0.1:7400'
const defaultProject = 'default/default'

/**
 * Which Stead is meant, and with which token: what was said on the command line or in the environment, else the context
 * that was chosen, else the Stead of this machine, whose data directory holds its admin's token.
 */
export async function findConnection(flags: ClientFlags, env: NodeJS.ProcessEnv): Promise<Connection> {
  const file = contextFile(env)
  const { current, contexts } = readContexts(file)
  const name = flags.context ?? env.STEAD_CONTEXT ?? current
  const chosen = name === undefined ? undefined : contexts[name]
  if (name !== undefined && !chosen)
    throw new StartError('usage', `there is no context ${name} in ${file}; \`stead contexts\` lists them`)

  const url = flags.url ?? env.STEAD_URL
  // The token of one Stead is never sent to another.
  const fits = chosen && (url === undefined || url === chosen.url) ? chosen : undefined
  const local = env.STEAD_TOKEN || fits ? undefined : await ownStead(env)
  const token = env.STEAD_TOKEN || fits?.token || (url === undefined || url === local?.url ? local?.token : undefined)
  if (!token) throw noToken(url)
  return {
    url: url ?? fits?.url ?? local?.url ?? defaultUrl,
    token,
    project: flags.project ?? (env.STEAD_PROJECT || (fits?.project ?? defaultProject)),
    origin: env.STEAD_TOKEN ? 'STEAD_TOKEN' : fits ? `context ${name}` : `the token in ${local?.data}`,
  }
}

const noToken = (url: string | undefined) =>
  new StartError(
    'unauthenticated',
    url === undefined ? 'not logged in, and no Stead of this machine was found here' : `not logged in to ${url}`,
  )

/** The Stead whose data is here, if its token can be read. It is asked where it listens, if it runs. */
async function ownStead(env: NodeJS.ProcessEnv): Promise<{ data: string; url?: string; token: string } | undefined> {
  const data = resolve(env.STEAD_DATA || './.stead')
  try {
    const token = readFileSync(join(data, 'admin.token'), 'utf8').trim()
    const answer = (await askRunning(data, 'address', {})) as { url: string } | undefined
    return { data, token, ...(answer && { url: answer.url }) }
  } catch (error) {
    if (['ENOENT', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}
