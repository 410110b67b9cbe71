import { type Project, Stead } from '@stead/sdk'
import { realWorld, type World } from '@stead/world'
import { StartError } from '../exit-codes.ts'
import { readVersion } from '../version.ts'
import { type ClientFlags, type Connection, findConnection } from './connect.ts'
import { Output } from './output.ts'

/** One run of a command that speaks to a Stead. */
export interface Session {
  readonly stead: Stead
  readonly project: Project
  readonly connection: Connection
  readonly out: Output
  readonly world: World
  readonly env: NodeJS.ProcessEnv
  /** Whether a person is there to be asked. */
  readonly isInteractive: boolean
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
}

/** Someone pressed Ctrl-C. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

export async function openSession(flags: ClientFlags): Promise<Session> {
  const { env } = process
  const connection = await findConnection(flags, env)
  const { version } = readVersion(env)
  const stead = new Stead({ url: connection.url, token: connection.token, userAgent: `stead/${version}` })
  return {
    stead,
    project: stead.project(connection.project),
    connection,
    out: new Output(process, env, flags.json ?? false),
    world: realWorld,
    env,
    isInteractive: Boolean(process.stdin.isTTY && process.stderr.isTTY),
    signal: interruption(),
  }
}

/** Ctrl-C ends what we wait for; a second one ends us as it would any program. */
function interruption(): AbortSignal {
  const controller = new AbortController()
  process.once('SIGINT', () => controller.abort(new Interrupted('interrupted')))
  return controller.signal
}

/** Does something that goes on without us: whoever stops waiting for it is told so, and how to come back to it. */
export async function goingOn<T>(session: Session, whatGoesOn: string, wait: () => Promise<T>): Promise<T> {
  try {
    return await wait()
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
    session.out.status('')
    throw new StartError('interrupted', whatGoesOn)
  }
}
