import type { Input } from './client.ts'
import { address } from './client.ts'
import type { Instances } from './instances.ts'
import { resumeEvents, type StreamOptions } from './stream.ts'

type LogQuery = NonNullable<Input<'GET /v1/projects/{project}/instances/{instance}/logs'>['query']>

export interface LogOptions extends StreamOptions, LogQuery {}

/** One line that an instance printed. */
export interface LogLine {
  readonly ts: string
  readonly service?: string
  readonly stream: 'stdout' | 'stderr'
  readonly line: string
  /** It was too long, and goes on in the next one of the same service and stream. */
  readonly partial?: boolean
  /** Lines before this one are no longer kept. */
  readonly gap?: boolean
  /** Its place in the log: given as `after`, reading goes on behind it. */
  readonly cursor: string
}

/** What an instance printed; with `follow` also what it prints, over restarts of it and of the server, each line once. */
export async function* readLogs(
  { project }: Instances,
  instance: string,
  { signal, onInterrupted, ...query }: LogOptions,
): AsyncGenerator<LogLine, void> {
  const { path } = address('GET /v1/projects/{project}/instances/{instance}/logs', {
    path: { project: project.name, instance },
    query,
  })
  const options = { path, ...(signal && { signal }), ...(onInterrupted && { onInterrupted }) }
  for await (const { event, data, id } of resumeEvents(project.stead.transport, options))
    if (event === 'message') yield { ...(JSON.parse(data) as Omit<LogLine, 'cursor'>), cursor: id ?? '' }
}
