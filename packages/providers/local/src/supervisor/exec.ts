import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Readable } from 'node:stream'
import { type ExecRequest, execSignals, ProviderError, type TerminalSize } from '@stead/provider-kit'
import { millis, realWorld as world } from '@stead/world'
import { childrenOf, sessionOf, signal, treeOf } from '../machine/processes.ts'
import { program } from '../machine/programs.ts'
import { enterWords, enterWordsAroundTerminal, type Target } from '../sandbox/enter.ts'
import { carryEnvironment } from '../sandbox/environment.ts'
import { runInTerminal } from '../sandbox/shell-programs.ts'
import type { Channel } from '../wire/channel.ts'
import { decodeJson, type Frame, frameTypes } from '../wire/frames.ts'
import type { ExecControl, ExecNews } from '../wire/words.ts'
import { innerIds } from './furnish.ts'
import type { Instance } from './instance.ts'
import type { Service } from './service.ts'

/**
 * Runs a command inside a service, with a connection for its input and output. It ends with the connection. Answers what
 * takes the frames that follow.
 */
export function exec(instance: Instance, request: ExecRequest, channel: Channel): (frame: Frame) => void {
  const service = request.service === undefined ? instance.main : instance.services.get(request.service)
  if (!service) throw new ProviderError('NotFound', `${instance.id} has no service ${request.service}`)
  const { target } = service
  if (!target)
    throw new ProviderError('Conflict', `${service.name} of ${instance.id} does not run: nothing can be run in it`)
  const own = String(innerIds(service.launch).uid)
  if (request.user !== undefined && request.user.split(':')[0] !== own)
    throw new ProviderError('InvalidConfig', `in ${service.name} there is no other user than ${own}`)
  const child = request.tty ? inTerminal(service, target, request, request.tty) : plain(service, target, request)
  if (child.pid === undefined) throw new ProviderError('Internal', 'the way inside could not be started')
  service.join(child.pid)
  return connect(child, target, request, channel)
}

const words = (service: Service, request: ExecRequest, terminal: boolean) => {
  const env = { ...service.env, ...(terminal && { TERM: 'xterm-256color' }), ...request.env }
  const { carried, inside } = carryEnvironment(env)
  return {
    directory: request.directory ?? service.directory,
    carried,
    command: inside.length > 0 ? ['env', ...inside, ...request.command] : [...request.command],
  }
}

function plain(service: Service, target: Target, request: ExecRequest): ChildProcess {
  const { directory, carried, command } = words(service, request, false)
  const [file, ...args] = [...enterWords(target, directory), ...command]
  // A session of its own: by it everything the command started is found again.
  const cwd = target.level === 'none' ? directory : '/'
  return spawn(file!, args, { env: carried, cwd, detached: true, stdio: 'pipe' })
}

function inTerminal(service: Service, target: Target, request: ExecRequest, size: TerminalSize): ChildProcess {
  const { directory, carried, command } = words(service, request, true)
  const { outer, inner } = enterWordsAroundTerminal(target, directory)
  const run = [...inner, ...command]
  const shell = program('sh')
  const env = {
    ...carried,
    ...Object.fromEntries(run.map((word, index) => [`STEAD_ARG_${index}`, word])),
    STEAD_ARGS: String(run.length),
    STEAD_STTY: program('stty'),
    STEAD_ROWS: String(size.rows),
    STEAD_COLUMNS: String(size.columns),
    SHELL: shell,
  }
  const terminal = [program('script'), '-q', '-f', '-e', '-E', 'always', '-c', runInTerminal, '/dev/null']
  const [file, ...args] = [...outer, ...terminal]
  const cwd = target.level === 'none' ? directory : '/'
  return spawn(file!, args, { env, cwd, detached: true, stdio: 'pipe' })
}

function connect(child: ChildProcess, target: Target, request: ExecRequest, channel: Channel): (frame: Frame) => void {
  const news = (what: ExecNews) => channel.sendJson(what)
  news({ started: true })
  for (const [stream, type] of [
    [child.stdout!, frameTypes.stdout],
    [child.stderr!, frameTypes.stderr],
  ] as const)
    passOn(stream, channel, type)
  // A command need not read what it is given.
  child.stdin!.on('error', () => {})
  child.stdin!.on('drain', () => channel.resume())
  child.once('error', error => news({ refused: { code: 'Internal', message: error.message } }))
  // After both streams have ended, so that nothing is printed after the end.
  child.once('close', (code, name) => {
    const number = code ?? (name ? 128 + constants.signals[name] : 255)
    news({ exit: { code: number, ...(name && { signal: name }) } })
    channel.end()
  })
  void channel.closed.then(() => endSession(child))
  // One after the other: what is typed after a resize finds the terminal resized.
  let before: Promise<void> = Promise.resolve()
  return ({ type, payload }) => {
    before = before.then(async () => {
      if (type === frameTypes.input && !child.stdin!.write(payload)) channel.pause()
      if (type === frameTypes.inputEnd) child.stdin!.end()
      if (type === frameTypes.json) await control(child, target, request, decodeJson(payload) as ExecControl)
    })
  }
}

/** Reads only as fast as the other side takes it. */
function passOn(stream: Readable, channel: Channel, type: typeof frameTypes.stdout | typeof frameTypes.stderr): void {
  stream.on('data', (chunk: Buffer) => {
    if (channel.send(type, chunk)) return
    stream.pause()
    void channel.drained().then(() => stream.resume())
  })
}

async function control(child: ChildProcess, target: Target, request: ExecRequest, what: ExecControl): Promise<void> {
  if ('resize' in what) {
    if (request.tty) await resize(child, target, what.resize)
    return
  }
  const name = execSignals.find(each => each === what.signal)
  if (name) void sendSignal(child, target, request, `SIG${name}`)
}

/** A signal that comes right after the start waits until there is somebody to get it. */
async function sendSignal(
  child: ChildProcess,
  target: Target,
  request: ExecRequest,
  name: NodeJS.Signals,
): Promise<void> {
  let pid = commandOf(child, target, request)
  while (pid === undefined && child.exitCode === null && child.signalCode === null) {
    await world.sleep(millis(5))
    pid = commandOf(child, target, request)
  }
  if (pid !== undefined) signal(pid, name)
}

/** The process the caller means: below those that lead inside. */
function commandOf(child: ChildProcess, { level }: Target, { tty }: ExecRequest): number | undefined {
  const steps = (level === 'none' ? 0 : 1) + (tty ? 1 : 0)
  let pid = child.pid
  for (let step = 0; step < steps && pid !== undefined; step++) pid = childrenOf(pid)[0]
  return pid
}

async function resize(child: ChildProcess, target: Target, { rows, columns }: TerminalSize): Promise<void> {
  const pid = commandOf(child, target, { command: [], tty: { rows, columns } })
  if (pid === undefined) return
  const args = ['-F', `/proc/${pid}/fd/0`, 'rows', String(rows), 'cols', String(columns)]
  // Whatever comes of it: the command may have closed its terminal.
  await new Promise<void>(resolve => execFile(program('stty'), args, { env: {} }, () => resolve()))
}

/** Everything below it, and everything of the sessions below it that has been left behind. */
function endSession(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const tree = treeOf(child.pid)
  const sessions = new Set(tree.map(sessionOf))
  for (const pid of tree.toReversed()) if (sessions.has(sessionOf(pid))) signal(pid, 'SIGKILL')
}
