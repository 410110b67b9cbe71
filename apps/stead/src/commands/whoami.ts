import type { Act } from '../cli/define.ts'

/** `stead whoami`. */
export const whoami: Act<object> = async ({ stead, out, connection }) => {
  const who = await stead.whoami()
  const grants = who.grants.map(({ role, on, organization, project }) => {
    const place = [organization?.name ?? organization?.id, project?.name ?? project?.id].filter(Boolean).join('/')
    return `  ${role} on ${place || `the ${on}`}`
  })
  const { displayName, type, id } = who.principal
  out.result(
    [`${displayName} (${type} ${id}) at ${connection.url}, by ${connection.origin}`, ...grants].join('\n'),
    who,
  )
}
