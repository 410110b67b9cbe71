// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is written so here is rendered by us
import { mentioned, type Surroundings } from './surroundings.ts'
import type { Read } from './template.ts'
import { renderText } from './template.ts'
import { typeOf, type Variable, type Variables } from './variables.ts'

export interface ScopeParts extends Variables {
  readonly instance: { readonly id: string; readonly name: string }
  /** What is around it, as far as it is known. */
  readonly surroundings: Surroundings
  /** The value of a variable of type secret that has one. */
  readonly readSecret: (name: string) => string
}

/** What every reference in an instance stands for. */
export function scopeOf(parts: ScopeParts): Read {
  const { variables = [], instance, surroundings } = parts
  const known = new Map(variables.map(variable => [variable.name, variable]))
  const memory = new Map<string, ReturnType<Read>>()
  const read: Read = reference => {
    const [space, name = '', ...rest] = reference.split('.')
    if (rest.length === 0 && space === 'instance' && (name === 'id' || name === 'name')) return open(instance[name])
    if (rest.length === 0 && space === 'var' && known.has(name)) return readVariable(known.get(name)!)
    const around = surroundings[reference as keyof Surroundings]
    if (around !== undefined) return open(around)
    const hint = 'write $${ for a literal ${'
    return {
      problem: mentioned(reference)
        ? `refers to \${${reference}}, which it does not have`
        : `refers to \${${reference.slice(0, 64)}}, which is unknown; ${hint}`,
    }
  }
  const readVariable = (variable: Variable): ReturnType<Read> => {
    const { name } = variable
    // Set before it is computed: a circle, which is refused where it is written, ends here.
    if (!memory.has(name)) {
      memory.set(name, { problem: `refers to \${var.${name}}, which refers to itself` })
      memory.set(name, resolvedValue(variable, parts, read))
    }
    return memory.get(name)!
  }
  return read
}

const open = (text: string) => ({ text, isSecret: false })

function resolvedValue(
  variable: Variable,
  { variableValues = {}, readSecret }: ScopeParts,
  read: Read,
): ReturnType<Read> {
  const { name, default: fallback, value = '' } = variable
  if (typeOf(variable) === 'computed') {
    const { text, isSecret, problem } = renderText(value, read)
    return problem === undefined ? { text, isSecret } : { problem }
  }
  const given = Object.hasOwn(variableValues, name) ? variableValues[name] : undefined
  if (typeOf(variable) === 'secret') return { text: given === undefined ? '' : readSecret(name), isSecret: true }
  return open(String(given ?? fallback ?? ''))
}
