import type { Act } from '../cli/define.ts'
import { Interrupted } from '../client/session.ts'
import { count, given } from '../client/values.ts'

interface LogsFlags {
  readonly follow?: boolean
  readonly tail?: string
  readonly since?: string
  readonly service?: string
  readonly timestamps?: boolean
}

/** `stead logs`: what it prints, each line once, over restarts of it and of the server. */
export const logs: Act<LogsFlags> = async ({ project, out, signal }, { args, flags }) => {
  const { follow, since, service, timestamps } = flags
  const query = given({ follow, since, service, tail: count('--tail', flags.tail) })
  const onInterrupted = (why: string) => out.note(`${why}; looking for it again`)
  try {
    for await (const line of project.instances.logs(args[0] ?? '', { ...query, signal, onInterrupted })) {
      if (out.isJson) {
        out.line(JSON.stringify(line))
        continue
      }
      if (line.gap) out.note('lines before this one are no longer kept')
      const from = service === '*' && line.service ? `${out.paint.dim(line.service)} ` : ''
      out.text(`${timestamps ? `${line.ts} ` : ''}${from}${line.line}${line.partial ? '' : '\n'}`)
    }
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
  }
}
