import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { StartError } from '../exit-codes.ts'

/** A Stead that was logged in to. */
export interface Context {
  readonly url: string
  readonly token: string
  /** The project that commands are about unless they say another. */
  readonly project: string
}

export interface Contexts {
  readonly current: string | undefined
  readonly contexts: Readonly<Record<string, Context>>
}

const none: Contexts = { current: undefined, contexts: {} }

/** Where contexts are kept: beside other programs' settings, as the XDG rules say. */
export const contextFile = (env: NodeJS.ProcessEnv): string =>
  join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'stead', 'contexts.json')

export function readContexts(file: string): Contexts {
  try {
    return { ...none, ...(JSON.parse(readFileSync(file, 'utf8')) as Contexts) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return none
    if (!(error instanceof SyntaxError)) throw error
    throw new StartError('usage', `${file} cannot be read: ${error.message}; correct it, or remove it and log in again`)
  }
}

/** Replaces the file as a whole, readable by its owner alone: it holds tokens. */
export function writeContexts(file: string, contexts: Contexts): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${process.pid}`
  writeFileSync(temporary, `${JSON.stringify(contexts, null, 2)}\n`, { mode: 0o600 })
  // A mode given at the making does not apply to a file that was left there before.
  chmodSync(temporary, 0o600)
  renameSync(temporary, file)
}
