import { instant, millis } from '@stead/world'
import { ProviderError } from '../../errors.ts'
import type { Console, ConsoleSession } from '../../groups/console.ts'
import type { ExecSession } from '../../groups/exec.ts'
import type { LogLine, LogRequest } from '../../groups/logs.ts'
import type { Provider } from '../../provider.ts'
import { wrong } from './altered.ts'

type Lines = AsyncIterable<LogLine>

const consoles =
  (change: (right: Console) => Partial<Console>) =>
  () =>
  (right: Provider): Partial<Provider> => {
    const { open, output } = right.console!
    return { console: { open, output, ...change({ open, output }) } }
  }

/** Changes the open console. */
const screen = (change: (session: ConsoleSession) => Partial<ConsoleSession>) =>
  consoles(right => ({
    async open(id, options) {
      const session = await right.open(id, options)
      return { ...session, ...change(session) }
    },
  }))

const console = [
  wrong(
    'a console echoes what is typed',
    screen(() => ({ write: async () => {} })),
  ),
  wrong(
    'a console begins with what was printed before, if asked',
    consoles(right => ({ open: id => right.open(id) })),
  ),
  wrong(
    'console output can be read without a console',
    consoles(right => ({
      output: async (id, options) => (await right.output(id, options)).subarray(0, 0),
    })),
  ),
  wrong(
    'a closed console ends',
    screen(() => ({ close: async () => {} })),
  ),
  wrong(
    'a console of the never-seen is NotFound',
    consoles(right => ({
      output: (id, options) => (id === 'never-seen' ? Promise.resolve(new Uint8Array()) : right.output(id, options)),
    })),
  ),
]

/** Changes the session. */
const session =
  (change: (session: ExecSession) => Partial<ExecSession>) =>
  () =>
  (right: Provider): Partial<Provider> => ({
    async exec(id, request, options) {
      const session = await right.exec!(id, request, options)
      return { ...session, ...change(session) }
    },
  })

/** Has room for so much of what a command prints by itself, and throws the rest away. */
function withRoomFor(limit: number, { output, write }: ExecSession): Partial<ExecSession> {
  let bytes = 0
  let isAnswering = false
  async function* kept(): ExecSession['output'] {
    for await (const chunk of output) {
      bytes += chunk.data.length
      if (isAnswering || bytes <= limit) yield chunk
    }
  }
  return {
    output: kept(),
    write(data) {
      isAnswering = true
      return write(data)
    },
  }
}

const exec = [
  wrong(
    'exec tells the exit code',
    session(({ exit }) => ({ exit: exit.then(exit => (exit.signal ? exit : { code: exit.code & 0x7f })) })),
  ),
  wrong(
    'exec keeps stdout and stderr apart',
    session(({ output }) => ({
      output: (async function* () {
        for await (const { data } of output) yield { stream: 'stdout' as const, data }
      })(),
    })),
  ),
  wrong(
    'exec gives input, byte for byte, and its end',
    session(({ write }) => ({ write: data => write(Buffer.from(Buffer.from(data).toString())) })),
  ),
  wrong(
    'exec holds a command up while nobody reads, and loses nothing',
    session(right => withRoomFor(65_536, right)),
  ),
  wrong('exec of a command that is not there exits with 127', ({ subject }) => right => ({
    async exec(id, request, options) {
      if (request.command === subject.groups.exec!.commands.missing)
        throw new ProviderError('InvalidConfig', 'no such command')
      return right.exec!(id, request, options)
    },
  })),
  wrong(
    'exec with a terminal has its size, and follows a resize',
    session(() => ({ resize: async () => {} })),
  ),
  wrong(
    'exec passes signals on',
    session(() => ({ signal: async () => {} })),
  ),
  wrong(
    'exec ends when it is closed',
    session(() => ({ close: async () => {} })),
  ),
  wrong('exec in what does not run is a conflict', ({ account }) => right => ({
    async exec(id, ...rest) {
      if (account.servers.get(id)?.state === 'halted') throw new ProviderError('NotFound', 'nothing runs')
      return right.exec!(id, ...rest)
    },
  })),
  wrong('exec in a service that is not there is NotFound', () => right => ({
    exec: (id, { service: _, ...request }, options) => right.exec!(id, request, options),
  })),
]

/** Changes what is asked. */
const asked =
  (change: (request: LogRequest) => LogRequest) =>
  () =>
  (right: Provider): Partial<Provider> => ({
    logs: (id, request, options) => right.logs!(id, change(request), options),
  })

/** Changes what is told. */
const told =
  (change: (lines: Lines) => Lines) =>
  () =>
  (right: Provider): Partial<Provider> => ({
    logs: (id, request, options) => change(right.logs!(id, request, options)),
  })

const oneBefore = (request: LogRequest): LogRequest => ({ ...request, after: String(Number(request.after) - 1) })

const logs = [
  wrong(
    'logs tell every line once, in order, with its time',
    told(async function* (lines) {
      for await (const line of lines) yield { ...line, at: instant(0) }
    }),
  ),
  wrong(
    'logs by tail are the last lines',
    asked(({ tail, ...request }) => (tail ? request : { ...request, ...(tail === 0 && { tail }) })),
  ),
  wrong(
    'logs by since begin there',
    asked(({ since: _, ...request }) => request),
  ),
  wrong(
    'logs by cursor go on after that line',
    asked(request => (request.after && !request.follow ? oneBefore(request) : request)),
  ),
  wrong(
    'a follower sees what was printed, and what is printed',
    asked(request => (request.follow && request.after === undefined ? { ...request, tail: 0 } : request)),
  ),
  wrong('a follower loses and doubles no line across a restart', () => {
    const followers = new Set<AbortController>()
    return right => ({
      async *logs(id, request, options) {
        const stopped = new AbortController()
        followers.add(stopped)
        const signal = AbortSignal.any([stopped.signal, ...(options?.signal ? [options.signal] : [])])
        try {
          yield* right.logs!(id, request, { signal })
        } catch (error) {
          if (error !== stopped.signal.reason) throw error
        }
      },
      async stop(id, options) {
        for (const follower of followers) follower.abort()
        return right.stop(id, options)
      },
    })
  }),
  wrong(
    'a follower that reconnects by cursor loses and doubles no line',
    asked(request => (request.after && request.follow ? oneBefore(request) : request)),
  ),
  // One queue for all: who does not read holds everybody up.
  wrong('a slow reader does not hold up another', ({ subject }) => {
    const held = new Set<object>()
    return right => ({
      async *logs(id, request, options) {
        const self = {}
        for await (const line of right.logs!(id, request, options)) {
          while (held.size > 0) await subject.world.sleep(millis(10), options?.signal)
          held.add(self)
          yield line
          held.delete(self)
        }
      },
    })
  }),
  wrong('logs stay readable while a server is stopped', ({ account }) => right => ({
    async *logs(id, ...rest) {
      if (account.servers.get(id)?.state === 'halted') throw new ProviderError('Conflict', 'nothing runs')
      yield* right.logs!(id, ...rest)
    },
  })),
  wrong(
    'a long line comes whole, if in pieces',
    told(async function* (lines) {
      for await (const line of lines) if (!line.partial) yield line
    }),
  ),
  wrong('a follower ends with its server', ({ subject }) => right => ({
    async *logs(id, request, options) {
      yield* right.logs!(id, request, options)
      if (request.follow) await subject.world.sleep(millis(60_000), options?.signal)
    },
  })),
  wrong('cancelling a follower is prompt', ({ subject }) => right => ({
    async *logs(id, request, options) {
      try {
        yield* right.logs!(id, request, options)
      } catch (error) {
        await subject.world.sleep(subject.limits.transition)
        throw error
      }
    },
  })),
  wrong('logs of the never-seen are NotFound', () => right => ({
    async *logs(id, ...rest) {
      if (id !== 'never-seen') yield* right.logs!(id, ...rest)
    },
  })),
]

export const wrongInStreams = [...console, ...exec, ...logs]
