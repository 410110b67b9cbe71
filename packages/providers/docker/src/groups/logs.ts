import { StringDecoder } from 'node:string_decoder'
import { isProviderError, type LogLine, type LogRequest, ProviderError } from '@stead/provider-kit'
import { type Instant, instant, isoTime, millis, type World } from '@stead/world'
import type { Engine } from '../engine/engine.ts'
import { framesOf } from '../engine/frames.ts'

/** Where a reader is in the log of one service: the moment of a line, and how many lines of that very moment it had. */
interface Position {
  readonly at: string
  readonly count: number
}

type Positions = Readonly<Record<string, Position>>

interface Entry {
  readonly service: string
  readonly stream: LogLine['stream']
  /** As the engine writes it: to the nanosecond, and sortable as text. */
  readonly at: string
  readonly count: number
  readonly line: string
  readonly partial: boolean
}

export interface LogSource {
  readonly engine: Engine
  readonly world: World
  /** The container of a service. */
  container(service: string): string
  /** Whether a service runs; undefined when there is nothing more to come from it, ever. */
  isUp(service: string): Promise<boolean | undefined>
  /** Resolves when something has changed. */
  changed(signal: AbortSignal): Promise<void>
}

const writeCursor = (positions: Positions): string =>
  Object.entries(positions)
    .map(([service, { at, count }]) => `${service}@${at}+${count}`)
    .join(',')

function readCursor(text: string): Positions {
  const parts = text.split(',').map(part => /^([a-z0-9-]+)@([0-9TZ:.-]+)\+(\d+)$/.exec(part))
  if (parts.some(part => part === null)) throw new ProviderError('InvalidConfig', 'this is no cursor of a log')
  return Object.fromEntries(parts.map(part => [part![1]!, { at: part![2]!, count: Number(part![3]) }]))
}

/** The logs of some services: what there is, in order of time, and then, if that is asked for, what comes. */
export async function* readLogs(
  source: LogSource,
  services: readonly string[],
  request: LogRequest,
  signal: AbortSignal,
): AsyncGenerator<LogLine> {
  let positions: Positions = request.after === undefined ? {} : readCursor(request.after)
  const told = (entry: Entry): LogLine => {
    positions = { ...positions, [entry.service]: { at: entry.at, count: entry.count } }
    const { service, stream, line, partial } = entry
    return { at: timeOf(entry.at), service, stream, line, ...(partial && { partial }), cursor: writeCursor(positions) }
  }
  const readers = services.map(name => entriesOf(source, name, { ...request, follow: false }, positions[name], signal))
  const there = merge(readers)
  for await (const entry of request.tail === undefined ? there : last(there, request.tail)) yield told(entry)
  if (!request.follow) return
  const begin = request.tail === 0 ? await ends(source, services, signal) : positions
  const followers = services.map(name => follow(source, name, request, begin[name] ?? positions[name], signal))
  for await (const entry of race(followers)) yield told(entry)
}

const timeOf = (text: string): Instant => instant(Date.parse(text))

/** Where the logs of services end now. */
async function ends(source: LogSource, services: readonly string[], signal: AbortSignal): Promise<Positions> {
  const found = services.map(async name => {
    let end: Position | undefined
    for await (const { at, count } of entriesOf(source, name, { tail: 1 }, undefined, signal)) end = { at, count }
    return end ? [[name, end] as const] : []
  })
  return Object.fromEntries((await Promise.all(found)).flat())
}

/** Goes on across restarts, until the server is gone. */
async function* follow(
  source: LogSource,
  name: string,
  request: LogRequest,
  begin: Position | undefined,
  signal: AbortSignal,
): AsyncGenerator<Entry> {
  let position = begin
  const { tail: _, ...rest } = request
  for (;;) {
    const isUp = await source.isUp(name)
    if (isUp === undefined) return
    // What is not up is read once more: it may have printed since.
    for await (const entry of entriesOf(source, name, { ...rest, follow: isUp }, position, signal)) {
      position = { at: entry.at, count: entry.count }
      yield entry
    }
    signal.throwIfAborted()
    if (!isUp) await quietly(source, signal)
  }
}

/** Until something changes, and at most a second: a change between two looks would be missed. */
async function quietly(source: LogSource, signal: AbortSignal): Promise<void> {
  const over = new AbortController()
  const either = AbortSignal.any([signal, over.signal])
  try {
    await Promise.race([source.changed(either), source.world.sleep(millis(1_000), either)])
  } finally {
    over.abort()
  }
}

/** The entries of one container after a position. */
async function* entriesOf(
  { engine, container }: LogSource,
  service: string,
  { since, tail, follow = false }: LogRequest,
  after: Position | undefined,
  signal: AbortSignal,
): AsyncGenerator<Entry> {
  const from = Math.max(since ?? 0, after ? Date.parse(after.at) : 0)
  const query = {
    ...{ stdout: true, stderr: true, timestamps: true, follow },
    // Engines read fractions of seconds differently: whole ones, and the rest is left out here.
    ...(from > 0 && { since: Math.floor(from / 1_000) }),
    ...(tail !== undefined && after === undefined && since === undefined && { tail }),
  }
  let last = { at: '', count: 0 }
  // A long line comes in pieces, which may end in the middle of a letter.
  const letters = { stdout: new StringDecoder(), stderr: new StringDecoder() }
  try {
    for await (const { stream, data } of framesOf(await engine.logs(container(service), query, signal))) {
      const space = data.indexOf(32)
      const at = normal(data.toString('latin1', 0, space))
      const isWhole = data.at(-1) === 10
      const text = data.subarray(space + 1, isWhole ? -1 : undefined)
      last = { at, count: at === last.at ? last.count + 1 : 1 }
      const line = letters[stream].write(text) + (isWhole ? letters[stream].end() : '')
      if (since !== undefined && Date.parse(at) < since) continue
      if (after && (at < after.at || (at === after.at && last.count <= after.count))) continue
      yield { service, stream, ...last, line, partial: !isWhole }
    }
  } catch (error) {
    signal.throwIfAborted()
    // Gone, or cut off: whoever follows looks what became of it.
    if (isProviderError(error, 'NotFound', 'Conflict') || (follow && !isProviderError(error))) return
    throw error
  }
}

/** With all nine digits of its second and in UTC, so that moments can be compared as text. */
function normal(at: string): string {
  const [, date, fraction = '', zone] = /^(.*?)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/.exec(at) ?? []
  if (date === undefined || zone === undefined) return at
  const utc = zone === 'Z' ? `${date}Z` : instantText(Date.parse(`${date}${zone}`))
  return utc.replace(/(\.\d+)?Z$/, `.${fraction.padEnd(9, '0')}Z`)
}

const instantText = (at: number): string => isoTime(instant(at))

/** Several that are each in order, as one that is. */
async function* merge(readers: readonly AsyncGenerator<Entry>[]): AsyncGenerator<Entry> {
  const heads = await Promise.all(readers.map(async reader => ({ reader, next: await reader.next() })))
  for (;;) {
    const open = heads.filter(({ next }) => !next.done)
    if (open.length === 0) return
    const first = open.reduce((a, b) => ((b.next.value as Entry).at < (a.next.value as Entry).at ? b : a))
    yield first.next.value as Entry
    first.next = await first.reader.next()
  }
}

async function* last(entries: AsyncGenerator<Entry>, count: number): AsyncGenerator<Entry> {
  const kept: Entry[] = []
  for await (const entry of entries) {
    kept.push(entry)
    if (kept.length > count) kept.shift()
  }
  yield* kept
}

/** Several at once, as they come. */
async function* race(readers: readonly AsyncGenerator<Entry>[]): AsyncGenerator<Entry> {
  const waiting = new Map<AsyncGenerator<Entry>, Promise<[AsyncGenerator<Entry>, IteratorResult<Entry>]>>()
  const ask = (reader: AsyncGenerator<Entry>) =>
    waiting.set(
      reader,
      reader.next().then(next => [reader, next]),
    )
  for (const reader of readers) ask(reader)
  while (waiting.size > 0) {
    const [reader, next] = await Promise.race(waiting.values())
    if (next.done) waiting.delete(reader)
    else {
      yield next.value
      ask(reader)
    }
  }
}
