import { type ExecSignal, execSignals, type TerminalSize } from '@stead/provider-kit'
import type { Message } from '../../door/socket-stream.ts'

/** What a frame is about: its first byte. */
export const channels = { stdin: 0, stdout: 1, stderr: 2, control: 3 } as const

export const frame = (channel: number, data: Uint8Array): Buffer => Buffer.concat([Buffer.of(channel), data])

/** What is said about what goes through: JSON. */
export const controlFrame = (
  message: { readonly type: 'ready' | 'exit' | 'error' } & Record<string, unknown>,
): Buffer => frame(channels.control, Buffer.from(JSON.stringify(message)))

/** What a client says. */
export type Said =
  | { readonly type: 'input'; readonly data: Buffer }
  | { readonly type: 'end' }
  | ({ readonly type: 'resize' } & TerminalSize)
  | { readonly type: 'signal'; readonly signal: ExecSignal }
  | { readonly type: 'wrong'; readonly why: string }

const wrong = (why: string): Said => ({ type: 'wrong', why })

/** Larger than any screen, small enough for every kernel. */
export const mostCells = 10_000

const isCells = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= mostCells

export function readMessage({ data, isBinary }: Message): Said {
  if (!isBinary || data.length === 0) return wrong('frames are binary, and begin with their channel')
  const rest = data.subarray(1)
  if (data[0] === channels.stdin) return { type: 'input', data: rest }
  if (data[0] !== channels.control) return wrong(`clients send on channels 0 and 3, not ${data[0]}`)
  return readControl(rest.toString())
}

function readControl(text: string): Said {
  let said: Readonly<Record<string, unknown>> | null
  try {
    said = JSON.parse(text)
  } catch {
    return wrong('what is sent on channel 3 must be JSON')
  }
  const { type, columns, rows, signal } = said ?? {}
  if (type === 'end') return { type }
  if (type === 'resize')
    return isCells(columns) && isCells(rows) ? { type, columns, rows } : wrong('columns and rows must be 1 to 10000')
  if (type !== 'signal') return wrong('type must be resize, signal or end')
  const known = execSignals.find(name => name === signal)
  return known ? { type, signal: known } : wrong(`signal must be one of ${execSignals.join(', ')}`)
}
