import { isDeepStrictEqual } from 'node:util'
import type { ChangeSetBuilder, Ref, Sealer } from '@stead/engine'
import { type FieldError, fail } from '../../errors/problem.ts'
import { pointerTo } from '../../schema/pointer.ts'
import { sealInto } from '../../sealed/model.ts'
import { isSealed, typeOf, type Variables, type VariableValue } from './variables.ts'

type Values = Readonly<Record<string, VariableValue>>

/** Values as they are kept: those of secret variables stand there sealed. */
export interface KeptValues {
  readonly values: Values | undefined
  /** What stands there sealed and was not there before, by variable. */
  readonly contents: ReadonlyMap<string, Uint8Array>
}

/** Takes what is secret out of values. What stands for something sealed is what stood there before, or nothing at all. */
export function keepValues({ variables = [], variableValues }: Variables, before: Values, sealer: Sealer): KeptValues {
  if (!variableValues) return { values: undefined, contents: new Map() }
  const isSecret = new Set(variables.filter(each => typeOf(each) === 'secret').map(({ name }) => name))
  const contents = new Map<string, Uint8Array>()
  const errors: FieldError[] = []
  const kept = Object.entries(variableValues).map(([name, value]) => {
    if (isSealed(value) && !isDeepStrictEqual(value, before[name])) {
      const message = 'stands for content that is not here: send the value itself'
      errors.push({ path: pointerTo('/spec/variableValues', name), message })
    }
    if (!isSecret.has(name) || typeof value !== 'string') return [name, value] as const
    const content = new Uint8Array(Buffer.from(value))
    contents.set(name, content)
    return [name, { sealed: sealer.seal(content).hash, sizeBytes: content.length }] as const
  })
  if (errors.length > 0) throw fail('invalid', 'a value cannot be used', { errors })
  return { values: Object.fromEntries(kept), contents }
}

/** Seals what is new beside the instance, and drops what nothing stands for any more. `others` is sealed there too. */
export function sealValues(
  set: ChangeSetBuilder,
  sealer: Sealer,
  { owner, before, kept, others }: { owner: Ref; before: Values; kept: KeptValues; others: readonly string[] },
): void {
  for (const content of kept.contents.values()) sealInto(set, sealer, owner, content)
  const hashes = (values: Values) => Object.values(values).flatMap(value => (isSealed(value) ? [value.sealed] : []))
  const own = new Set(hashes(kept.values ?? {}))
  for (const hash of new Set(hashes(before))) if (!own.has(hash) && !others.includes(hash)) set.dropBlob(owner, hash)
  // User data that goes may have been the same as a value that stays.
  const dropped = set.dropBlobs.filter(({ hash }) => !own.has(hash))
  set.dropBlobs.splice(0, set.dropBlobs.length, ...dropped)
}

/** A merge patch that replaces values whole: what stands for one is not mixed with what comes in its place. */
export function replacingValues(before: Values, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch
  const fields = Object.entries(patch).map(([name, value]) => {
    const old = Object.hasOwn(before, name) ? before[name] : undefined
    if (typeof old !== 'object' || typeof value !== 'object' || value === null) return [name, value]
    const gone = Object.keys(old).map(key => [key, null])
    return [name, { ...Object.fromEntries(gone), ...value }]
  })
  return Object.fromEntries(fields)
}
