import { type FieldError, fail } from '../errors/problem.ts'
import { mostValueBytes } from './model.ts'

const wrong = (path: string, message: string) =>
  fail('invalid', 'the value cannot be used', { errors: [{ path, message } satisfies FieldError] })

interface Sent {
  readonly value?: unknown
  readonly valueBase64?: unknown
}

/** Reads a value as it was sent. It is in no message. */
export function readValue({ value, valueBase64 }: Sent, path = ''): Uint8Array {
  if ((value === undefined) === (valueBase64 === undefined))
    throw wrong(`${path}/value`, 'must be given, or valueBase64 in its place')
  const content = typeof value === 'string' ? new Uint8Array(Buffer.from(value)) : fromBase64(String(valueBase64), path)
  if (content.length === 0) throw wrong(`${path}/value`, 'must not be empty')
  if (content.length <= mostValueBytes) return content
  throw wrong(`${path}/value`, `is ${content.length} bytes; at most ${mostValueBytes} can be kept`)
}

function fromBase64(text: string, path: string): Uint8Array {
  const content = Buffer.from(text, 'base64')
  if (content.toString('base64').replace(/=+$/, '') !== text.replace(/=+$/, ''))
    throw wrong(`${path}/valueBase64`, 'is not base64')
  return new Uint8Array(content)
}

/** Whether it can be in an environment: UTF-8, and no NUL, at which an environment would cut it off. */
export function isText(content: Uint8Array): boolean {
  if (content.includes(0)) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(content)
    return true
  } catch {
    return false
  }
}
