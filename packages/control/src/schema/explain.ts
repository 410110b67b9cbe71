import type { TLocalizedValidationError } from 'typebox/error'
import type { FieldError } from '../errors/problem.ts'
import { pointerTo } from './pointer.ts'

type Raw = TLocalizedValidationError

/** Names of unknown fields are the caller's, and may be as long as a body. */
const longestPath = 256

/**
 * Turns a validator's findings into what a caller can act on: one line per wrong field, each with its JSON pointer.
 * Says what is allowed, never what was sent: a misplaced secret must not come back in an error.
 */
export function explain(raw: readonly Raw[]): readonly FieldError[] {
  const seen = new Set<string>()
  return resolveUnions(raw)
    .flatMap(fieldErrors)
    .map(({ path, message }) => ({ path: path.slice(0, longestPath), message }))
    .filter(({ path, message }) => seen.size < seen.add(`${path} ${message}`).size)
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** A union fails once for each branch. Only the branch the caller most likely meant is of use. */
function resolveUnions(raw: readonly Raw[]): readonly Raw[] {
  const union = raw.find(error => error.keyword === 'anyOf' || error.keyword === 'oneOf')
  if (!union) return raw
  const prefix = `${union.schemaPath}/${union.keyword}/`
  const inside = raw.filter(error => error.schemaPath.startsWith(prefix))
  const outside = raw.filter(error => error !== union && !error.schemaPath.startsWith(prefix))
  const branch = (error: Raw) => error.schemaPath.slice(prefix.length).split('/', 1)[0]!
  const groups = Map.groupBy(inside, branch)
  const candidates = [...groups.values()].map(resolveUnions)
  const best = chooseBranch(union, candidates)
  return resolveUnions([...outside, ...best])
}

function chooseBranch(union: Raw, candidates: readonly (readonly Raw[])[]): readonly Raw[] {
  // Several branches fit where only one may: there is nothing wrong inside any of them.
  if (candidates.length === 0)
    return [{ ...union, keyword: 'if', message: 'must fit exactly one of the allowed forms' } as Raw]
  const here = (error: Raw) => error.instancePath === union.instancePath
  if (candidates.every(errors => errors.every(error => here(error) && isChoice(error))))
    return [joined(union, candidates)]
  const misfit = (errors: readonly Raw[]) => errors.filter(here).length * 1_000 + errors.length
  return candidates.toSorted((a, b) => misfit(a) - misfit(b))[0]!
}

const isChoice = ({ keyword }: Raw) => keyword === 'const' || keyword === 'enum' || keyword === 'type'

function joined(union: Raw, candidates: readonly (readonly Raw[])[]): Raw {
  const errors = candidates.flat()
  const values = errors.flatMap(allowedValues)
  const types = errors.flatMap(error => (error.keyword === 'type' ? [error.params.type].flat() : []))
  const message =
    values.length > 0
      ? oneOf([...new Set(values)].map(value => JSON.stringify(value)))
      : `must be ${types.join(' or ')}`
  return { ...union, keyword: 'if', message } as Raw
}

function allowedValues(error: Raw): readonly unknown[] {
  if (error.keyword === 'const') return [error.params.allowedValue]
  return error.keyword === 'enum' ? error.params.allowedValues : []
}

const oneOf = (values: readonly string[]) =>
  values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(', ')}`

function fieldErrors(error: Raw): readonly FieldError[] {
  const { keyword, instancePath: path, params } = error
  switch (keyword) {
    case 'required':
      return params.requiredProperties.map(name => ({ path: pointerTo(path, name), message: 'is required' }))
    case 'boolean': // the `false` of additionalProperties, once for each unknown field
      return [{ path, message: 'is not a known field' }]
    case 'additionalProperties': // the same fields again, in one error
      return []
    case 'const':
    case 'enum':
      return [{ path, message: oneOf(allowedValues(error).map(value => JSON.stringify(value))) }]
    default:
      return [{ path, message: error.message }]
  }
}
