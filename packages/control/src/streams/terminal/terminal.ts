import type { ConsoleSession, ExecExit, ExecSession, ExecSignal, TerminalSize } from '@stead/provider-kit'
import type { Message, SocketStream } from '../../door/socket-stream.ts'
import { fail, type Problem } from '../../errors/index.ts'
import { channels, controlFrame, frame, readMessage, type Said } from './frames.ts'

/** Something that is typed into and prints, whatever it is. */
export interface Terminal {
  readonly output: AsyncIterable<{ readonly channel: number; readonly data: Uint8Array }>
  /** How it ended, where that means something. */
  readonly exit?: Promise<ExecExit>
  write(data: Uint8Array): Promise<void>
  endInput(): Promise<void>
  resize(size: TerminalSize): Promise<void>
  signal(signal: ExecSignal): Promise<void>
  /** Ends it and what runs in it. */
  close(): Promise<void>
}

export function ofExec(session: ExecSession): Terminal {
  // Whoever leaves before the end does not ask for it.
  session.exit.catch(() => {})
  return {
    output: onChannels(session.output),
    exit: session.exit,
    write: data => session.write(data),
    endInput: () => session.endInput(),
    resize: size => session.resize(size),
    signal: signal => session.signal(signal),
    close: () => session.close(),
  }
}

async function* onChannels(output: ExecSession['output']) {
  for await (const { stream, data } of output) yield { channel: channels[stream], data }
}

/** A console has one stream, no size that we could set, and no process that we could signal. */
export const ofConsole = (session: ConsoleSession): Terminal => ({
  output: onOneChannel(session.output),
  write: data => session.write(data),
  endInput: async () => {},
  resize: async () => {},
  signal: async () => {},
  close: () => session.close(),
})

async function* onOneChannel(output: ConsoleSession['output']) {
  for await (const data of output) yield { channel: channels.stdout, data }
}

/** So much input that the command does not read, and a signal goes past it: else nothing could be stopped any more. */
const stuckInput = 16_384

export interface Conversation {
  readonly stream: SocketStream
  readonly terminal: Terminal
  /** Called whenever something moves. */
  readonly used: () => void
  /** Tells the client what went wrong, and ends it. */
  readonly refuse: (problem: Problem) => void
}

/** Carries everything between a client and a terminal until one of them ends. */
export async function converse(conversation: Conversation): Promise<void> {
  const { stream, terminal, used } = conversation
  stream.divert((message, waiting) => waiting >= stuckInput && passBy(terminal, message))
  void takeInput(conversation)
  try {
    await stream.send(controlFrame({ type: 'ready' }))
    for await (const { channel, data } of terminal.output) {
      used()
      await stream.send(frame(channel, data))
    }
    const exit = await terminal.exit
    if (exit) {
      const { code, signal } = exit
      stream.outcome = { exitCode: code, ...(signal !== undefined && { signal }) }
      await stream.send(controlFrame({ type: 'exit', ...exit }))
    }
    stream.end('finished', exit ? 'the command has ended' : 'the console was closed')
  } finally {
    await terminal.close()
  }
}

function passBy(terminal: Terminal, message: Message): boolean {
  const said = readMessage(message)
  if (said.type !== 'signal') return false
  // One that ended meanwhile cannot be signalled, and need not be.
  terminal.signal(said.signal).catch(() => {})
  return true
}

async function takeInput({ stream, terminal, used, refuse }: Conversation): Promise<void> {
  for await (const message of stream.messages()) {
    used()
    const said = readMessage(message)
    if (said.type === 'wrong') refuse(fail('invalid_request', said.why))
    // Whoever writes into what has ended, or does not read any more, is not wrong: how it ended is told by its end.
    else await pass(terminal, said).catch(() => {})
  }
}

function pass(terminal: Terminal, said: Exclude<Said, { type: 'wrong' }>): Promise<void> {
  switch (said.type) {
    case 'input':
      return terminal.write(said.data)
    case 'end':
      return terminal.endInput()
    case 'resize':
      return terminal.resize({ columns: said.columns, rows: said.rows })
    case 'signal':
      return terminal.signal(said.signal)
  }
}
