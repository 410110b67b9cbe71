import { isProblem, type Usage } from '@stead/sdk'
import type { Act } from '../cli/define.ts'
import { collect } from '../client/collect.ts'
import type { Session } from '../client/session.ts'

interface Used {
  readonly name: string
  /** Undefined where its region cannot measure it, or it does not run. */
  readonly usage: Usage | undefined
}

/** How many are asked at once: each question goes to the region. */
const atOnce = 8

/** `stead top`: what is not known is a dash, never a zero. */
export const top: Act<object> = async (session, { args }) => {
  const { out, project } = session
  const all =
    args.length > 0 ? args : (await collect(project.instances.list({ limit: 500 }))).map(each => each.metadata.name)
  const found: Used[] = []
  for (let start = 0; start < all.length; start += atOnce)
    found.push(...(await Promise.all(all.slice(start, start + atOnce).map(name => usedBy(session, name)))))
  if (out.isJson) return out.json(found.map(({ name, usage }) => ({ name, usage: usage ?? null })))
  out.table<Used>(
    [
      { head: 'NAME', show: ({ name }) => name },
      { head: 'CPU', show: ({ usage }) => shown(usage?.cpu, cpu => `${Math.round(cpu * 100)}%`) },
      { head: 'MEMORY', show: ({ usage }) => shown(usage?.memoryBytes, mebibytes) },
      { head: 'OF', show: ({ usage }) => shown(usage?.memoryLimitBytes, mebibytes) },
      { head: 'DISK', show: ({ usage }) => shown(usage?.diskUsedBytes, mebibytes) },
    ],
    found,
  )
}

async function usedBy({ project, signal }: Session, name: string): Promise<Used> {
  try {
    return { name, usage: await project.instances.usage(name, { signal }) }
  } catch (error) {
    if (isProblem(error, 'invalid_state', 'not_ready', 'unsupported', 'unavailable')) return { name, usage: undefined }
    throw error
  }
}

const shown = (value: number | null | undefined, write: (value: number) => string): string =>
  value === null || value === undefined ? '' : write(value)

const mebibytes = (bytes: number): string => `${Math.round(bytes / 1_048_576)} MiB`
