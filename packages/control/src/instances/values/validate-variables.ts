import type { FieldError } from '../../errors/problem.ts'
import { pointerTo } from '../../schema/pointer.ts'
import { findCycle } from '../source/order.ts'
import { isPattern, type Match, matches } from './pattern.ts'
import { referencesIn } from './template.ts'
import { isReference, isSealed, typeOf, type Variable, type Variables, type VariableValue } from './variables.ts'

const root = '/spec/variables'
const valuePath = (name: string) => pointerTo('/spec/variableValues', name)

/** What does not fit together in variables and their values. Values are in no message. */
export function validateVariables({ variables = [], variableValues = {} }: Variables): readonly FieldError[] {
  const known = new Map(variables.map(variable => [variable.name, variable]))
  const unknown = Object.keys(variableValues).filter(name => !known.has(name))
  const errors = [
    ...variables.flatMap((variable, index) => validateDefinition(`${root}/${index}`, variable)),
    ...twice(variables),
    ...cycle(variables),
    ...unknown.map(name => ({ path: valuePath(name), message: 'is not a variable of it' })),
    ...variables.flatMap(variable => validateGiven(variable, variableValues)),
  ]
  return errors.length > 0 ? errors : validatePatterns(variables, variableValues)
}

/** Which fields mean something for a type. */
const fieldsOf: Readonly<Record<ReturnType<typeof typeOf>, readonly string[]>> = {
  string: ['required', 'default', 'pattern', 'min', 'max'],
  int: ['required', 'default', 'min', 'max'],
  bool: ['required', 'default'],
  enum: ['required', 'default', 'enum'],
  secret: ['required'],
  computed: ['value'],
}

const needed: Readonly<Record<string, string>> = { enum: 'enum', computed: 'value' }

function validateDefinition(path: string, variable: Variable): readonly FieldError[] {
  const type = typeOf(variable)
  const { name: _, type: _type, description: _description, ...given } = variable
  const strange = Object.keys(given).filter(field => !fieldsOf[type].includes(field))
  const missing = needed[type]
  const errors = strange.map(field => ({ path: `${path}/${field}`, message: `means nothing for type ${type}` }))
  if (missing !== undefined && !Object.hasOwn(variable, missing))
    errors.push({ path: `${path}/${missing}`, message: `is needed for type ${type}` })
  const { min = -Infinity, max = Infinity, pattern, default: fallback } = variable
  if (min > max) errors.push({ path: `${path}/max`, message: 'must not be less than min' })
  if (pattern !== undefined && !isPattern(pattern))
    errors.push({ path: `${path}/pattern`, message: 'must be a regular expression' })
  const wrong = fallback === undefined || strange.includes('default') ? undefined : misfit(variable, fallback)
  if (wrong !== undefined) errors.push({ path: `${path}/default`, message: wrong })
  return errors
}

function twice(variables: readonly Variable[]): readonly FieldError[] {
  const seen = new Set<string>()
  return variables.flatMap(({ name }, index) =>
    seen.size < seen.add(name).size ? [] : [{ path: `${root}/${index}/name`, message: 'is used twice' }],
  )
}

function cycle(variables: readonly Variable[]): readonly FieldError[] {
  const others = ({ value = '' }: Variable) =>
    referencesIn(value).flatMap(reference => (reference.startsWith('var.') ? [reference.slice(4)] : []))
  const found = findCycle(new Map(variables.map(variable => [variable.name, others(variable)])))
  if (!found) return []
  const [first] = found as [string]
  const index = variables.findIndex(({ name }) => name === first)
  return [{ path: `${root}/${index}/value`, message: `variables need each other: ${[...found, first].join(' → ')}` }]
}

function validateGiven(variable: Variable, values: Readonly<Record<string, VariableValue>>): readonly FieldError[] {
  const { name, required = false, default: fallback } = variable
  const at = (message: string): readonly FieldError[] => [{ path: valuePath(name), message }]
  const given = Object.hasOwn(values, name) ? values[name] : undefined
  if (given === undefined) return required && fallback === undefined ? at('is required') : []
  const wrong = misfit(variable, given)
  return wrong === undefined ? [] : at(wrong)
}

/** Why a value is none of a variable's, if so. Patterns are another matter. */
function misfit(variable: Variable, value: VariableValue): string | undefined {
  const { min = -Infinity, max = Infinity, enum: members = [] } = variable
  const isInside = (size: number) => size >= min && size <= max
  const range = `between ${min === -Infinity ? 'anything' : min} and ${max === Infinity ? 'anything' : max}`
  switch (typeOf(variable)) {
    case 'string':
      if (typeof value !== 'string') return 'must be a string'
      return isInside(value.length) ? undefined : `must have a length ${range}`
    case 'int':
      if (typeof value !== 'number') return 'must be an integer'
      return isInside(value) ? undefined : `must be ${range}`
    case 'bool':
      return typeof value === 'boolean' ? undefined : 'must be true or false'
    case 'enum':
      return members.some(member => member === value) ? undefined : `must be one of ${members.join(', ')}`
    case 'secret':
      return typeof value === 'string' || isReference(value) || isSealed(value)
        ? undefined
        : 'must be a string, or a secret as {"secret": name}'
    case 'computed':
      return 'is computed, and has no other value'
  }
}

function validatePatterns(
  variables: readonly Variable[],
  values: Readonly<Record<string, VariableValue>>,
): readonly FieldError[] {
  const asked = variables.flatMap(({ name, pattern, default: fallback }) => {
    const text = values[name] ?? fallback
    return pattern === undefined || typeof text !== 'string' ? [] : [{ name, match: { pattern, text } satisfies Match }]
  })
  const found = matches(asked.map(({ match }) => match))
  return asked.flatMap(({ name, match }, index) => {
    if (found === 'unknown')
      return [{ path: valuePath(name), message: 'takes too long to be matched: use a simpler pattern' }]
    return found[index] ? [] : [{ path: valuePath(name), message: `must match ${match.pattern}` }]
  })
}
