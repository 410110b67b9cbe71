import { address, type Stead } from './client.ts'
import { isProblem } from './problem.ts'
import { resumeEvents, type StreamOptions } from './stream.ts'

/** Any object of the API. */
export interface AnyObject {
  readonly metadata: { readonly id: string; readonly revision: number; readonly name?: string }
  readonly spec?: unknown
  readonly status?: unknown
}

export interface Change<Object = AnyObject> {
  readonly type: 'put' | 'remove'
  readonly object: Object
}

export interface WatchOptions extends StreamOptions {
  /** `instance`, `network`, …; all that one may read unless said. */
  readonly kinds?: readonly string[]
  /** The revision after which to begin, as a list answers it; now unless said. */
  readonly since?: number
}

/** The log no longer reaches back to where a watch was: list again, and watch from there. `follow` does both. */
export class WatchGone extends Error {
  override readonly name = 'WatchGone'
}

/** Every change at a place, without a gap over lost connections and restarts. Throws `WatchGone` where there would be one. */
export async function* watch<Object = AnyObject>(
  stead: Stead,
  place: string,
  { kinds, since, ...options }: WatchOptions = {},
): AsyncGenerator<Change<Object>, void> {
  const { path } = address(`GET ${place}/watch`, { query: { kinds, since } })
  try {
    for await (const { event, data } of resumeEvents(stead.transport, { path, ...options })) {
      if (event === 'gone') throw new WatchGone((JSON.parse(data) as { detail: string }).detail)
      if (event === 'put' || event === 'remove') yield { type: event, object: JSON.parse(data) as Object }
    }
  } catch (error) {
    if (isProblem(error, 'gone')) throw new WatchGone(error.detail, { cause: error })
    throw error
  }
}

/** How a kind is listed: everything, and the revision of that list. */
export type ListAll<Object> = () => Promise<{ readonly items: readonly Object[]; readonly revision: number }>

export interface FollowOptions<Object> extends StreamOptions {
  readonly kind: string
  readonly list: ListAll<Object>
}

/**
 * What there is, and then what changes of it, for as long as one reads. Lists again by itself where the log does not reach
 * back, and tells then what came, changed and went meanwhile: whoever keeps a map by id has what the server has.
 */
export async function* follow<Object extends AnyObject>(
  stead: Stead,
  place: string,
  { kind, list, ...options }: FollowOptions<Object>,
): AsyncGenerator<Change<Object>, void> {
  const known = new Map<string, Object>()
  for (;;) {
    const { items, revision } = await list()
    for (const change of difference(known, items)) yield note(known, change)
    try {
      for await (const change of watch<Object>(stead, place, { kinds: [kind], since: revision, ...options }))
        yield note(known, change)
      return
    } catch (error) {
      if (!(error instanceof WatchGone)) throw error
    }
  }
}

function note<Object extends AnyObject>(known: Map<string, Object>, change: Change<Object>): Change<Object> {
  const { id } = change.object.metadata
  if (change.type === 'put') known.set(id, change.object)
  else known.delete(id)
  return change
}

/** What must be told to someone who knows some objects when there are now these. */
export function difference<Object extends AnyObject>(
  known: ReadonlyMap<string, Object>,
  items: readonly Object[],
): readonly Change<Object>[] {
  const present = new Set(items.map(({ metadata }) => metadata.id))
  const removed = [...known.values()].filter(({ metadata }) => !present.has(metadata.id))
  const changed = items.filter(({ metadata }) => known.get(metadata.id)?.metadata.revision !== metadata.revision)
  return [
    ...removed.map(object => ({ type: 'remove', object }) as const),
    ...changed.map(object => ({ type: 'put', object }) as const),
  ]
}
