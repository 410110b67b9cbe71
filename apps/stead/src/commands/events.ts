import { type Event, followEvents } from '@stead/sdk'
import { isoTime, parseDuration } from '@stead/world'
import type { Act } from '../cli/define.ts'
import { collect } from '../client/collect.ts'
import { Things, thingNamed } from '../client/kinds.ts'
import type { Paint } from '../client/paint.ts'
import { Interrupted, type Session } from '../client/session.ts'

interface EventsFlags {
  readonly since?: string
  readonly follow?: boolean
}

/** `stead events <thing>`: the newest last, as in a log. */
export const events: Act<EventsFlags> = async (session, { args, flags }) => {
  const { out } = session
  const { kind, name } = thingNamed(args[0] ?? '')
  const things = new Things(session)
  const query = flags.since === undefined ? {} : { since: timeOf(flags.since, session) }
  // By its id: another may take its name once it is gone.
  if (flags.follow) {
    const { id } = (await things.get(kind, name)).metadata
    return follow(session, name, () => things.events(kind, id, query))
  }
  const found = (await collect(things.events(kind, name, query))).reverse()
  if (out.isJson) return out.json(found)
  if (found.length === 0) return out.note('nothing happened')
  out.table<Event>(
    [
      { head: 'TIME', show: ({ at }) => at },
      { head: 'OF', show: ({ object }) => object.name ?? object.id },
      { head: 'REASON', show: reasonOf },
      { head: 'MESSAGE', show: ({ message }) => message },
    ],
    found,
  )
}

/** A line for each, as it happens, until it is gone or Ctrl-C. */
async function follow({ stead, out, signal }: Session, name: string, read: () => AsyncIterable<Event>): Promise<void> {
  const onInterrupted = (why: string) => out.note(`${why}; looking for it again`)
  try {
    for await (const event of followEvents(stead.transport, read, { signal, onInterrupted }))
      out.line(out.isJson ? JSON.stringify(event) : `${event.at}  ${reasonOf(event, out.paint)}  ${event.message}`)
    out.note(`${name} is gone`)
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
  }
}

const reasonOf = ({ reason, level }: Event, paint: Paint): string =>
  level === 'warning' ? paint.yellow(reason) : reason

/** A time, or how long ago it was. */
function timeOf(text: string, { world }: Session): string {
  const ago = parseDuration(text)
  return ago === undefined ? text : isoTime((world.now() - ago) as ReturnType<typeof world.now>)
}
