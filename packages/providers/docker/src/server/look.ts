import type { Container, ListedContainer } from '../engine/words.ts'
import type { Context } from './context.ts'
import { labels, names } from './labels.ts'
import { readShape, stageOf, type View } from './view.ts'

const nameOf = ({ Names }: ListedContainer) => (Names?.[0] ?? '').replace(/^\//, '')

/** What there is of a server, and the engine's own id of its record, which stays when its name changes. */
export interface Seen {
  readonly view: View
  readonly record: string
}

type Looking = Pick<Context, 'engine' | 'outOfMemory'>

/** All there is of one server; undefined when the engine has none. */
export async function look(context: Looking, id: string, signal?: AbortSignal): Promise<Seen | undefined> {
  const listed = await context.engine.containers({ [labels.id]: id }, signal)
  const record = listed.find(({ Labels }) => Labels?.[labels.part] === 'record')
  return record && assemble(context, record, listed, signal)
}

/** All servers that are ours by form, whosever they are. */
export async function lookAtAll(context: Looking, signal?: AbortSignal): Promise<Seen[]> {
  const listed = await context.engine.containers({ [labels.part]: '' }, signal)
  const byId = Map.groupBy(listed, ({ Labels }) => Labels?.[labels.id] ?? '')
  const records = listed.filter(({ Labels }) => Labels?.[labels.part] === 'record')
  return Promise.all(
    records.map(record => assemble(context, record, byId.get(record.Labels![labels.id] ?? '') ?? [], signal)),
  )
}

async function assemble(
  { engine, outOfMemory }: Looking,
  record: ListedContainer,
  parts: readonly ListedContainer[],
  signal: AbortSignal | undefined,
): Promise<Seen> {
  const all = record.Labels!
  const id = all[labels.id]!
  const shape = readShape(all)
  const inspect = async (name: string): Promise<Container | undefined> => {
    const part = parts.find(part => nameOf(part) === name)
    const container = part && (await engine.container(part.Id, signal))
    return container ? outOfMemory.judge(container, signal) : container
  }
  const services = Object.keys(shape.services).map(
    async name => [name, await inspect(names.service(id, name))] as const,
  )
  const [holder, ...entries] = await Promise.all([inspect(names.holder(id)), ...services])
  const view: View = {
    id,
    stage: stageOf(nameOf(record), id),
    labels: all,
    shape,
    createdAt: record.Created * 1_000,
    services: Object.fromEntries(entries),
    holder,
  }
  return { view, record: record.Id }
}
