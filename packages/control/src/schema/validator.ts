import type { TSchema } from 'typebox'
import { Compile, type Validator as Compiled } from 'typebox/schema'
import { Settings } from 'typebox/system'
import type { FieldError } from '../errors/problem.ts'
import { closed } from './closed.ts'
import { explain } from './explain.ts'
import { jsonSchema } from './json-schema.ts'

// TypeBox stops at 8 unless told. A union counts once per branch, so this is more than the errors we show.
Settings.Set({ maxErrors: 256 })

/** A caller who sends more wrong fields than this has a wrong document. */
const mostErrors = 50

const nothingWrong: readonly FieldError[] = []

export interface Validator {
  /** Everything that is wrong with a value; nothing when it fits. */
  errors(value: unknown): readonly FieldError[]
}

/**
 * Checks values against a closed schema. Compiled on first use: 1–2 ms each, and most routes are not asked for at
 * start.
 */
export function validator(schema: TSchema): Validator {
  let compiled: Compiled | undefined
  return {
    errors(value) {
      compiled ??= Compile(closed(jsonSchema(schema)))
      return compiled.Check(value) ? nothingWrong : explain(compiled.Errors(value)[1]).slice(0, mostErrors)
    },
  }
}
