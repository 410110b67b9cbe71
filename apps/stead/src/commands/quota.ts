import type { Act } from '../cli/define.ts'

/** `stead quota`. */
export const quota: Act<object> = async ({ project, out }) => {
  const quotas = await project.quotas()
  if (out.isJson) return out.json(quotas)
  out.table(
    [
      { head: 'KIND', show: ({ kind }) => kind },
      { head: 'USED', show: ({ used }) => String(used) },
      { head: 'LIMIT', show: ({ limit }) => (limit === null ? 'none' : String(limit)) },
      { head: 'LEFT', show: ({ available }) => (available === null ? 'any' : String(available)) },
      { head: 'SET BY', show: ({ source }) => source ?? '' },
    ],
    quotas,
  )
}
