import { type AnyObject, isProblem } from '@stead/sdk'
import type { Act } from '../cli/define.ts'
import { collect } from '../client/collect.ts'
import { columnsOf } from '../client/columns.ts'
import { instanceKind, type KindOfThing, kindNamed, Things } from '../client/kinds.ts'
import { type Format, formats } from '../client/output.ts'
import type { Session } from '../client/session.ts'
import { given } from '../client/values.ts'
import { StartError } from '../exit-codes.ts'

interface GetFlags {
  readonly labels?: string
  readonly output?: string
  readonly organization?: string
  readonly json?: boolean
}

/** `stead get <kind> [name]`. */
export const get: Act<GetFlags> = async (session, { args, flags }) => {
  const [kindName = '', name] = args
  const kind = kindNamed(kindName)
  const things = new Things(session, flags.organization)
  if (name !== undefined) return show(session, kind, await things.get(kind, name), flags)
  await show(session, kind, await collect(things.list(kind, given({ labels: flags.labels }))), flags)
}

interface PsFlags extends GetFlags {
  readonly phase?: string
  readonly region?: string
}

/** `stead ps`. */
export const ps: Act<PsFlags> = async (session, { flags }) => {
  const { labels, phase, region } = flags
  const found = new Things(session).list(instanceKind, { limit: 500, ...given({ labels, phase, region }) })
  await show(session, instanceKind, await collect(found), flags)
}

/** `stead regions`. */
export const regions: Act<GetFlags> = (session, { flags }) => get(session, { args: ['regions'], flags })

async function show(
  session: Session,
  kind: KindOfThing,
  found: AnyObject | AnyObject[],
  flags: GetFlags,
): Promise<void> {
  const { out, world } = session
  const format = formatOf(flags)
  const items = Array.isArray(found) ? found : [found]
  if (format === 'json') return out.json(found)
  if (items.length === 0) return out.note(`there are no ${kind.plural}`)
  if (format === 'yaml') {
    const { stringify } = await import('yaml')
    // As files for `stead apply` have it.
    const documents = items.map(item => stringify({ kind: kind.kind, ...item }, { lineWidth: 0 }).trimEnd())
    return out.line(documents.join('\n---\n'))
  }
  if (format === 'name') return out.line(items.map(nameOf).join('\n'))
  const names = kind === instanceKind ? await regionNames(session) : new Map<string, string>()
  out.table(columnsOf(kind.kind, world.now(), names), items as never[], { isWide: format === 'wide' })
}

/** Operations have no metadata, and grants no name. */
const nameOf = (item: Partial<AnyObject> & { readonly id?: string }): string =>
  item.metadata?.name ?? item.metadata?.id ?? item.id ?? ''

function formatOf({ output, json }: GetFlags): Format {
  const format = output ?? (json ? 'json' : 'table')
  if ((formats as readonly string[]).includes(format)) return format as Format
  throw new StartError('usage', `--output ${format} must be one of ${formats.join(', ')}`)
}

/** Names of regions by their ids: instances carry the id. */
async function regionNames({ stead, connection }: Session): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  try {
    const path = { project: connection.project }
    for await (const { metadata } of stead.list('GET /v1/projects/{project}/regions', { path }))
      names.set(metadata.id, metadata.name)
  } catch (error) {
    // Without the right to read regions their ids have to do.
    if (!isProblem(error, 'forbidden', 'not_found')) throw error
  }
  return names
}
