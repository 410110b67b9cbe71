import { instant, isoTime } from '@stead/world'
import { Paint, paints } from './client/paint.ts'

const levels: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
}

/** A longer one is for programs. */
const longest = 100

/** A line of the log as someone at a terminal reads it: when, what, and then the rest. */
export function lineForPeople(json: string, paint: Paint): string {
  const { level, time, msg, error, ...fields } = JSON.parse(json) as Record<string, unknown>
  const { stack, ...failure } = (error ?? {}) as Record<string, unknown>
  const name = (levels[Number(level)] ?? String(level)).padEnd(5)
  const severity = Number(level) >= 50 ? paint.red(name) : Number(level) >= 40 ? paint.yellow(name) : paint.dim(name)
  const rest = Object.entries({ ...fields, ...failure }).map(([key, value]) => `${key}=${shown(value)}`)
  const at = isoTime(instant(Number(time))).replace(/\.\d+/, '')
  const words = [paint.dim(at), severity, msg, ...(rest.length > 0 ? [paint.dim(rest.join(' '))] : [])]
  return `${words.join(' ')}\n${stack === undefined ? '' : `${paint.dim(String(stack))}\n`}`
}

function shown(value: unknown): string {
  const text = typeof value === 'string' && /^\S+$/.test(value) ? value : JSON.stringify(value)
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

/** Where a log goes that people read as it is written. */
export function logForPeople(out: NodeJS.WriteStream, env: NodeJS.ProcessEnv): { write(line: string): void } {
  const paint = new Paint(paints(out, env))
  return { write: line => void out.write(lineForPeople(line, paint)) }
}
