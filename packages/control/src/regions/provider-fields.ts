import type { ProviderDefinition } from '@stead/provider-kit'
import type { TSchema } from 'typebox'
import { type FieldError, fail } from '../errors/index.ts'
import { filling } from '../schema/defaults.ts'
import { jsonSchema } from '../schema/json-schema.ts'
import { type Validator, validator } from '../schema/validator.ts'

/** What a provider's schema leaves to a default, filled in. */
export const withDefaults = (schema: TSchema, value: unknown): unknown => filling(jsonSchema(schema))(value)

const validators = new WeakMap<TSchema, Validator>()

/** What a provider finds wrong with its part of a region's spec. Says where, never what was there: it may be a secret. */
export function providerErrors(
  definition: Pick<ProviderDefinition, 'configuration' | 'credentials'>,
  part: 'configuration' | 'credentials',
  value: unknown,
): readonly FieldError[] {
  const schema = definition[part]
  let check = validators.get(schema)
  if (!check) {
    check = validator(schema)
    validators.set(schema, check)
  }
  return check.errors(value).map(({ path, message }) => ({ path: `/spec/${part}${path}`, message }))
}

/** Refuses what does not fit the provider of a region. */
export function refuseMisfit(kind: string, errors: readonly FieldError[]): void {
  if (errors.length > 0)
    throw fail('invalid', `this does not fit the provider ${kind}: see errors`, { errors: [...errors] })
}

export const unknownProvider = (kinds: readonly string[]) =>
  fail('invalid', 'there is no such provider here', {
    errors: [
      {
        path: '/spec/provider',
        message: kinds.length > 0 ? `must be one of ${[...kinds].sort().join(', ')}` : 'there is no provider here',
      },
    ],
  })
