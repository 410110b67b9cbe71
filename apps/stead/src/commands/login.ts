import { readFileSync } from 'node:fs'
import { Stead } from '@stead/sdk'
import { askSecret } from '../client/ask.ts'
import { contextFile, readContexts, writeContexts } from '../client/context-file.ts'
import { StartError } from '../exit-codes.ts'

export interface LoginFlags {
  readonly tokenFile?: string
  readonly name?: string
  readonly project?: string
}

/** `stead login`: a token is kept only once it was tried. */
export async function login(url = 'http://127.0.0.1:7400', flags: LoginFlags): Promise<void> {
  const parsed = URL.parse(url)
  if (!parsed || !/^https?:$/.test(parsed.protocol)) throw new StartError('usage', `${url} is not a URL of a Stead`)
  const token = await readToken(flags)
  const { principal } = await new Stead({ url, token }).whoami()
  const file = contextFile(process.env)
  const { contexts } = readContexts(file)
  const name = flags.name ?? parsed.host
  const context = { url: parsed.origin, token, project: flags.project ?? 'default/default' }
  writeContexts(file, { current: name, contexts: { ...contexts, [name]: context } })
  console.log(`Logged in to ${parsed.origin} as ${principal.displayName}; this is context ${name}`)
}

async function readToken({ tokenFile }: LoginFlags): Promise<string> {
  const text = await tokenText(tokenFile)
  const token = text.trim()
  if (token === '' || /\s/.test(token)) throw new StartError('usage', 'that is not a token: it must be one word')
  return token
}

async function tokenText(tokenFile: string | undefined): Promise<string> {
  if (tokenFile === '-') return readFileSync(0, 'utf8')
  if (tokenFile !== undefined) return readTokenFile(tokenFile)
  if (process.env.STEAD_TOKEN) return process.env.STEAD_TOKEN
  if (process.stdin.isTTY) return askSecret('Token: ')
  throw new StartError('usage', 'nobody is here to be asked for a token: give it with --token-file or in STEAD_TOKEN')
}

function readTokenFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new StartError('usage', `the token cannot be read: ${(error as Error).message}`)
  }
}
