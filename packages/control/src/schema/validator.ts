import { createRequire } from 'node:module'
import type { TSchema } from 'typebox'
import type { Validator as Compiled } from 'typebox/schema'
import type { FieldError } from '../errors/problem.ts'
import { closed } from './closed.ts'
import { explain } from './explain.ts'
import { jsonSchema } from './json-schema.ts'

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
      compiled ??= schemaCompiler().Compile(closed(jsonSchema(schema)))
      return compiled.Check(value) ? nothingWrong : explain(compiled.Errors(value)[1]).slice(0, mostErrors)
    },
  }
}

const require = createRequire(import.meta.url)
let loaded: typeof import('typebox/schema') | undefined

/**
 * What compiles schemas: two hundred small files, an eighth of the time to start. So it is loaded when the first value is
 * checked, or before, by who has nothing better to do.
 */
export function schemaCompiler(): typeof import('typebox/schema') {
  if (loaded) return loaded
  const { Settings } = require('typebox/system') as typeof import('typebox/system')
  // TypeBox stops at 8 unless told. A union counts once per branch, so this is more than the errors we show.
  Settings.Set({ maxErrors: 256 })
  loaded = require('typebox/schema') as typeof import('typebox/schema')
  return loaded
}
