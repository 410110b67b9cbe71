import { ProviderError } from '../../errors.ts'
import { hasTags } from '../../filter.ts'
import type { ConsoleOptions, ConsoleSession } from '../../groups/console.ts'
import type { ExecRequest, ExecSession } from '../../groups/exec.ts'
import type { LogLine, LogRequest } from '../../groups/logs.ts'
import type { WatchEvent, WatchRequest } from '../../groups/watch.ts'
import type { Account } from '../account/account.ts'
import type { CloudEvent } from '../account/events.ts'
import type { LogBook } from '../inside/log-book.ts'
import { carried } from '../inside/pipe.ts'
import { Process } from '../inside/process.ts'
import { start } from '../inside/shell.ts'
import { serviceOf, surroundings } from '../inside/surroundings.ts'
import type { SimServer } from '../server/server.ts'
import { followed } from './followed.ts'
import { serverInfo } from './info.ts'
import type { Line } from './line.ts'

function running(account: Account, id: string): SimServer {
  const server = account.server(id)
  if (server.state === 'active') return server
  throw new ProviderError('Conflict', `${id} is ${server.state}, not running`)
}

export async function exec(line: Line, id: string, request: ExecRequest, signal?: AbortSignal): Promise<ExecSession> {
  const { cloud, client } = line
  const process = await line.call(
    'exec',
    account => {
      const server = running(account, id)
      const service = serviceOf(server, request.service)
      const inside = surroundings(account, server, cloud.world, { service, env: request.env ?? {} })
      const process = new Process(request, inside)
      const { processes } = account.insideOf(server)
      processes.add(process)
      void process.exit.then(() => processes.delete(process))
      start(process, request.command)
      return process
    },
    signal,
  )
  const hangUp = () => process.signal('KILL')
  signal?.addEventListener('abort', hangUp, { once: true })
  const leave = () => signal?.removeEventListener('abort', hangUp)
  return {
    output: carried(process.output, client, { signal, leave }),
    exit: process.exit.then(async exit => {
      await client.sleep(cloud.profile.call)
      return exit
    }),
    write: data => process.input.write(data),
    async endInput() {
      process.input.end()
    },
    async resize(size) {
      process.resize(size)
    },
    async signal(name) {
      process.signal(name)
    },
    async close() {
      hangUp()
      process.output.cut()
    },
  }
}

export async function openConsole(line: Line, id: string, options: ConsoleOptions): Promise<ConsoleSession> {
  const device = await line.call('console', account => account.insideOf(account.server(id)).console, options.signal)
  const stopListening = line.cloud.clockwork.listen()
  const screen = device.open(options.scrollbackBytes ?? 0)
  const leave = () => {
    stopListening()
    device.close(screen)
  }
  return {
    output: carried(screen, line.client, { signal: options.signal, leave }),
    async write(data) {
      device.print(data)
    },
    async close() {
      leave()
    },
  }
}

/** How many lines travel together. */
const batch = 500

export async function* logs(line: Line, id: string, request: LogRequest, signal?: AbortSignal): AsyncIterable<LogLine> {
  const matches = ({ at, service }: Pick<LogLine, 'at' | 'service'>) =>
    (request.service === undefined || service === request.service) && at >= (request.since ?? Number.NEGATIVE_INFINITY)
  const book = await line.call(
    'logs',
    account => {
      const server = account.server(id)
      if (request.service !== undefined) serviceOf(server, request.service)
      return account.insideOf(server).logs
    },
    signal,
  )
  const stopListening = request.follow ? line.cloud.clockwork.listen() : () => {}
  try {
    yield* followed(linesOf(book, request, matches), line.client, signal)
  } finally {
    stopListening()
  }
}

function linesOf(book: LogBook, request: LogRequest, matches: (line: Pick<LogLine, 'at' | 'service'>) => boolean) {
  const { after, tail, follow } = request
  let place = after === undefined ? 0 : Number(after)
  if (!Number.isInteger(place) || place < 0) throw new ProviderError('InvalidConfig', `${after} is not a cursor`)
  if (tail !== undefined) place = Math.max(place, book.beforeLast(tail, matches))
  // Without a cursor nothing was seen before, so nothing is missing.
  let seen = after !== undefined
  return {
    next(): readonly LogLine[] | 'end' {
      for (;;) {
        const lines = book.after(place, batch)
        if (lines.length === 0) return follow && !book.closed ? [] : 'end'
        place = Number(lines.at(-1)!.cursor)
        const wanted = (seen ? lines : lines.map(({ gap: _, ...line }) => line)).filter(matches)
        seen = true
        if (wanted.length > 0) return wanted
      }
    },
    onChange: (wake: () => void) => book.onChange(wake),
  }
}

export async function* watch(line: Line, request: WatchRequest, signal?: AbortSignal): AsyncIterable<WatchEvent> {
  const { cloud, client } = line
  const events = await line.call('watch', account => account.events, signal)
  let place = request.after === undefined ? events.last : Number(request.after)
  if (!events.after(place)) {
    yield { type: 'gone' }
    return
  }
  yield { type: 'open', cursor: String(place) }
  const stopListening = cloud.clockwork.listen()
  let gone = false
  const next = (): readonly WatchEvent[] | 'end' => {
    if (gone) return 'end'
    const news = events.after(place)
    gone = news === undefined
    if (!news) return [{ type: 'gone' }]
    if (news.length > 0 && cloud.faults.strike('brokenWatch', { call: 'watch' }))
      throw new ProviderError('Unavailable', 'the event stream broke off')
    place = events.last
    return news.filter(event => !event.view || hasTags(event.view.tags, request.tags)).map(told)
  }
  try {
    yield* followed({ next, onChange: wake => events.listen(wake) }, client, signal)
  } finally {
    stopListening()
  }
}

const told = ({ number, id, view }: CloudEvent): WatchEvent => ({
  type: 'change',
  cursor: String(number),
  id,
  server: view && serverInfo(view),
})
