import type { BaseStatus, StoredObject } from '@stead/engine'
import type { Static, TSchema } from 'typebox'
import { type FieldError, fail } from '../errors/problem.ts'
import { type Filling, filling } from '../schema/defaults.ts'
import { jsonSchema } from '../schema/json-schema.ts'
import { pointerTo, within } from '../schema/pointer.ts'
import { Type } from '../schema/type.ts'
import { type Validator, validator } from '../schema/validator.ts'
import type { PatchValue, WriteValue } from './bodies.ts'
import { differences, type FieldChange, mergePatch } from './merge-patch.ts'
import { Labels } from './model.ts'
import type { Resource } from './resource.ts'

/** What a caller may say of an object. */
export interface Written<Spec> {
  readonly displayName?: string
  readonly labels: Readonly<Record<string, string>>
  readonly spec: Spec
}

/** Reads the body of a create, in either form, with the schema's defaults filled in. */
export function written<Spec extends TSchema>(
  { spec: schema }: { readonly spec: Spec },
  body: WriteValue<Static<Spec>>,
): Written<Static<Spec>> & { readonly name: string } {
  const { name, displayName, labels = {} } = body.metadata ?? body
  refuseReserved(labels, body.metadata ? '/metadata/labels' : '/labels')
  const spec = withDefaults(schema, body.spec ?? {}) as Static<Spec>
  return { name, labels, spec, ...(displayName !== undefined && { displayName }) }
}

const defaults = new WeakMap<TSchema, Filling>()

function withDefaults(schema: TSchema, value: unknown): unknown {
  let fill = defaults.get(schema)
  if (!fill) {
    fill = filling(jsonSchema(schema))
    defaults.set(schema, fill)
  }
  return fill(value)
}

/** What an object becomes by a patch. */
export interface Patched<Spec> extends Written<Spec> {
  readonly changes: readonly FieldChange[]
  /** Whether anything at or below this pointer (`/spec/image`) changes: nothing else need be validated. */
  changed(pointer: string): boolean
}

/**
 * Applies a merge patch and checks what it changes, and only that: what was accepted once, by older rules perhaps, does
 * not stand in the way of editing something else.
 */
export function patched<Spec extends TSchema, Status extends BaseStatus>(
  resource: Resource<Spec, Status>,
  object: StoredObject<Static<Spec>, Status>,
  body: PatchValue,
): Patched<Static<Spec>> {
  const before = { displayName: object.displayName, labels: object.labels, spec: object.spec }
  const { name, displayName, labels } = { ...body, ...body.metadata }
  const merged = mergePatch(before, given({ displayName, labels, spec: body.spec })) as Partial<Written<Static<Spec>>>
  const after = { ...merged, labels: merged.labels ?? {} } as Written<Static<Spec>>
  const changes = differences(before, after)
  const changed = (pointer: string) => changes.some(({ path }) => within(path, pointer) || within(pointer, path))
  const place = body.metadata ? '/metadata' : ''
  const shown = (path: string) => (within(path, '/spec') ? path : place + path)

  const frozen = resource.immutable.filter(changed).map(path => ({ path: shown(path), message: 'never changes' }))
  if (name !== undefined && name !== object.name) frozen.push({ path: `${place}/name`, message: 'never changes' })
  if (frozen.length > 0)
    throw fail('immutable', `${frozen.map(({ path }) => path).join(', ')} cannot change`, { errors: frozen })

  const errors = validatorOf(resource)
    .errors(given({ ...after }))
    .filter(({ path }) => changed(path))
  if (errors.length > 0) throw fieldsWrong(errors.map(error => ({ ...error, path: shown(error.path) })))
  refuseReserved(
    Object.fromEntries(Object.entries(after.labels).filter(([key]) => changed(pointerTo('/labels', key)))),
    shown('/labels'),
  )
  return { ...after, changes, changed }
}

/** Fields that were not sent are not part of a patch. */
const given = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

const validators = new WeakMap<object, Validator>()

function validatorOf({ spec }: { readonly spec: TSchema }): Validator {
  let found = validators.get(spec)
  if (!found) {
    found = validator(
      Type.Object({ displayName: Type.Optional(Type.String({ maxLength: 255 })), labels: Labels, spec }),
    )
    validators.set(spec, found)
  }
  return found
}

/** The answer to a body whose fields are of the wrong form. */
export const fieldsWrong = (errors: readonly FieldError[]) =>
  fail('invalid_request', `${errors.length === 1 ? 'a field is' : `${errors.length} fields are`} wrong`, { errors })

/** Labels that begin with `stead.` are ours to write. */
function refuseReserved(labels: Readonly<Record<string, string>>, path: string): void {
  const errors = Object.keys(labels)
    .filter(key => key.startsWith('stead.'))
    .map(key => ({
      path: pointerTo(path, key),
      message: 'is reserved: labels that begin with stead. are written by Stead',
    }))
  if (errors.length > 0) throw fail('invalid', 'reserved labels cannot be written', { errors })
}
