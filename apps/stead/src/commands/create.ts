import type { Act } from '../cli/define.ts'
import { kindNamed, Things } from '../client/kinds.ts'
import { pairs } from '../client/values.ts'
import { StartError } from '../exit-codes.ts'

interface CreateFlags {
  readonly spec?: string
  readonly label?: readonly string[]
  readonly organization?: string
}

/** `stead create <kind> <name>`. */
export const create: Act<CreateFlags> = async (session, { args, flags }) => {
  const [kindName = '', name = ''] = args
  const kind = kindNamed(kindName)
  const spec = flags.spec === undefined ? undefined : await parseSpec(flags.spec)
  const body = { name, labels: pairs('--label', flags.label), ...(spec !== undefined && { spec }) }
  // Projects are read everywhere one is, and made in an organization.
  const where = kind.kind === 'project' ? ({ ...kind, scope: 'organization' } as const) : kind
  const made = await new Things(session, flags.organization).create(where, body)
  session.out.result(`${kind.kind} ${name} is made: ${made.metadata.id}`, made)
}

async function parseSpec(text: string): Promise<unknown> {
  const { parse } = await import('yaml')
  try {
    return parse(text)
  } catch (error) {
    throw new StartError('usage', `--spec cannot be read: ${(error as Error).message}`)
  }
}
