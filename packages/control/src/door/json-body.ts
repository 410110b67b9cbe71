import { fail, type Problem } from '../errors/problem.ts'
import { pointerTo } from '../schema/pointer.ts'

/** No document of ours is a quarter as deep; code that walks one by recursion must not be led over its stack. */
const deepest = 64

/**
 * Reads a JSON body. Empty is undefined, whatever the content type says. What one of the two databases could not keep
 * (NUL characters, halves of surrogate pairs) is refused here, so that both behave alike.
 */
export function parseJsonBody(text: string): unknown {
  if (text.trim() === '') return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // The parser's own message quotes the text, which may hold a secret.
    throw fail('invalid_request', 'the body is not valid JSON')
  }
  const fault = faultOf(value, 0)
  if (fault) throw refusal(fault.path.join(''), fault.message)
  return value
}

interface Fault {
  /** Steps of a JSON pointer, from the outside in; gathered only when there is something to point at. */
  readonly path: string[]
  readonly message: string
}

function faultOf(value: unknown, depth: number): Fault | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : unstorable()
  if (typeof value !== 'object' || value === null) return undefined
  if (depth >= deepest) return { path: [], message: `is nested more than ${deepest} deep` }
  for (const name in value) {
    const fault = Array.isArray(value) ? undefined : nameFault(name)
    if (fault) return fault
    const inner = faultOf((value as Record<string, unknown>)[name], depth + 1)
    if (inner) {
      inner.path.unshift(pointerTo('', name))
      return inner
    }
  }
  return undefined
}

function nameFault(name: string): Fault | undefined {
  if (name === '__proto__') return { path: [], message: 'has a field named __proto__' }
  return isStorable(name) ? undefined : unstorable()
}

const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed()
const unstorable = (): Fault => ({ path: [], message: 'holds a character that cannot be stored' })

const refusal = (path: string, message: string): Problem =>
  fail('invalid_request', `the body ${message}`, { errors: [{ path, message }] })
