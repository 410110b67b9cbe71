import { type FSWatcher, watch } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type LogLine, type LogRequest, ProviderError } from '@stead/provider-kit'
import { type Duration, millis, type World } from '@stead/world'
import { type PlacedRecord, type Position, ServiceLog } from './service-log.ts'

type Positions = Readonly<Record<string, Position>>

const writeCursor = (positions: Positions): string => Buffer.from(JSON.stringify(positions)).toString('base64url')

function readCursor(cursor: string): Positions {
  try {
    const positions = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as Positions
    for (const [segment, offset] of Object.values(positions))
      if (!Number.isSafeInteger(segment) || !Number.isSafeInteger(offset)) throw new Error('not a position')
    return positions
  } catch (cause) {
    throw new ProviderError('InvalidConfig', 'this is no cursor of a log here', { cause })
  }
}

export interface LogSource {
  readonly world: World
  /** Holds one directory per service. */
  readonly directory: string
  readonly services: readonly string[]
}

/**
 * Reads the logs of an instance. They are read from the disk by whoever wants them, so they can be read whether or not
 * anything else of ours is running.
 */
export async function* readLogs(
  { world, directory, services }: LogSource,
  request: LogRequest,
  signal: AbortSignal,
): AsyncGenerator<LogLine> {
  const names = request.service === undefined ? services : [request.service]
  const logs = new Map(names.map(name => [name, new ServiceLog(join(directory, name))]))
  const changes = request.follow ? new Changes({ world, directory, services: names }, signal) : undefined
  try {
    const positions = await begin(logs, request)
    for (;;) {
      signal.throwIfAborted()
      let isEnd = true
      for await (const line of merge(logs, positions, request)) {
        yield line
        isEnd = false
      }
      // What was written since is told of as a change, and so is the end of it all.
      if (isEnd && !(changes && (await exists(directory)))) return
      await changes?.next()
    }
  } finally {
    changes?.close()
    await Promise.all([...logs.values()].map(log => log.close()))
  }
}

async function begin(logs: ReadonlyMap<string, ServiceLog>, request: LogRequest): Promise<Record<string, Position>> {
  const after = request.after === undefined ? {} : readCursor(request.after)
  const entries = [...logs].map(async ([name, log]): Promise<[string, Position]> => {
    const start: Position =
      after[name] ?? (request.tail === undefined || request.after ? [0, 0] : await log.tail(request.tail))
    return [name, start]
  })
  return Object.fromEntries(await Promise.all(entries))
}

interface Waiting {
  readonly name: string
  records: PlacedRecord[]
}

/** Everything that is there now, by time, whichever service printed it. */
async function* merge(
  logs: ReadonlyMap<string, ServiceLog>,
  positions: Record<string, Position>,
  { since }: LogRequest,
): AsyncGenerator<LogLine> {
  const waiting: Waiting[] = [...logs.keys()].map(name => ({ name, records: [] }))
  const ended = new Set<string>()
  const reading = { ...positions }
  for (;;) {
    for (const each of waiting) {
      while (each.records.length === 0 && !ended.has(each.name)) {
        const batch = await logs.get(each.name)!.read(reading[each.name]!)
        reading[each.name] = batch.next
        each.records = [...batch.records]
        if (batch.isEnd) ended.add(each.name)
        if (batch.records.length === 0) positions[each.name] = batch.next
      }
    }
    const first = waiting.filter(({ records }) => records.length > 0).sort(byTime)[0]
    if (!first) return
    const record = first.records.shift()!
    positions[first.name] = record.next
    if (since !== undefined && record.at < since) continue
    yield {
      at: record.at,
      service: first.name,
      stream: record.stream,
      line: record.text.toString(),
      ...(record.partial && { partial: true }),
      ...(record.gap && { gap: true }),
      cursor: writeCursor(positions),
    }
  }
}

const byTime = (a: Waiting, b: Waiting) => a.records[0]!.at - b.records[0]!.at

async function exists(directory: string): Promise<boolean> {
  return stat(directory).then(
    () => true,
    () => false,
  )
}

/** A log that is written all the time is read this often: a read costs as much as many lines. */
const pause: Duration = millis(5)

/** Wakes whoever follows when the file system says that something was written. */
class Changes {
  readonly #watchers = new Map<string, FSWatcher>()
  readonly #source: LogSource
  readonly #signal: AbortSignal
  #happened = true
  #told = Number.NEGATIVE_INFINITY
  #wake: (() => void) | undefined
  #cancel: (reason: unknown) => void = () => {}

  constructor(source: LogSource, signal: AbortSignal) {
    this.#source = source
    this.#signal = signal
    signal.addEventListener('abort', this.#abort)
    this.#watch(source.directory)
    this.#watchServices()
  }

  /** Waits for a change since the last time it was asked. */
  async next(): Promise<void> {
    this.#watchServices()
    if (!this.#happened)
      await new Promise<void>((resolve, reject) => {
        this.#wake = resolve
        this.#cancel = reject
        if (this.#signal.aborted) reject(this.#signal.reason)
      })
    const early = this.#told + pause - this.#source.world.monotonic()
    if (early > 0) await this.#source.world.sleep(millis(early), this.#signal)
    this.#told = this.#source.world.monotonic()
    this.#happened = false
  }

  close(): void {
    this.#signal.removeEventListener('abort', this.#abort)
    for (const watcher of this.#watchers.values()) watcher.close()
  }

  readonly #abort = () => this.#cancel(this.#signal.reason)

  readonly #note = () => {
    this.#happened = true
    this.#wake?.()
  }

  /** The directory of a service comes with its first start. */
  #watchServices(): void {
    const { directory, services } = this.#source
    for (const name of services) this.#watch(join(directory, name))
  }

  #watch(path: string): void {
    if (this.#watchers.has(path)) return
    try {
      const watcher = watch(path, { persistent: false }, this.#note)
      watcher.on('error', this.#note)
      this.#watchers.set(path, watcher)
      this.#happened = true
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
}

/** The services that have a log here. */
export const loggedServices = (directory: string): Promise<string[]> => readdir(directory)
