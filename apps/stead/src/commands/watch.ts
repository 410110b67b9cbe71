import type { Instance } from '@stead/sdk'
import type { Act } from '../cli/define.ts'
import { Interrupted } from '../client/session.ts'
import { count, given } from '../client/values.ts'

/** `stead watch [kinds…]`: a line for each change until Ctrl-C, over restarts of the server. */
export const watch: Act<{ since?: string }> = async ({ project, out, signal }, { args, flags }) => {
  const options = { signal, onInterrupted: (why: string) => out.note(`${why}; looking for it again`) }
  const since = count('--since', flags.since)
  const changes = project.watch<Instance>({ ...options, ...(args.length > 0 && { kinds: args }), ...given({ since }) })
  try {
    for await (const { type, object } of changes) {
      // One object to a line: whoever reads it need not find where the next begins.
      if (out.isJson) out.line(JSON.stringify({ type, object }))
      else
        out.line(
          `${nameOf(object)} ${type === 'remove' ? 'is gone' : stateOf(object, out.paint.state.bind(out.paint))}`,
        )
    }
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
  }
}

/** Operations are watched too, and have no metadata. */
const nameOf = (object: Partial<Instance> & { id?: string }): string =>
  `${(object.metadata?.id ?? object.id ?? '').replace(/_.*/, '')} ${object.metadata?.name ?? object.metadata?.id ?? object.id}`

const stateOf = (object: Partial<Instance> & { state?: string }, paint: (text: string) => string): string => {
  const { phase, state } = (object.status ?? {}) as { phase?: string; state?: string }
  return `is ${paint(phase ?? state ?? object.state ?? 'changed')}`
}
