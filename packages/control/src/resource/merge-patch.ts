import { isDeepStrictEqual } from 'node:util'
import { pointerTo } from '../schema/pointer.ts'

/** RFC 7396: fields of the patch replace those of the target, objects are merged, null removes. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isFields(patch)) return patch
  const merged: Record<string, unknown> = isFields(target) ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name]
    else merged[name] = mergePatch(merged[name], value)
  }
  return merged
}

/** One field that is different, by JSON pointer. What is absent is undefined. */
export interface FieldChange {
  readonly path: string
  readonly from: unknown
  readonly to: unknown
}

/** Where two documents differ, as deep as objects go; arrays are compared whole. */
export function differences(from: unknown, to: unknown, path = ''): readonly FieldChange[] {
  if (isDeepStrictEqual(from, to)) return []
  if (!isFields(from) || !isFields(to)) return [{ path, from, to }]
  return [...new Set([...Object.keys(from), ...Object.keys(to)])]
    .sort()
    .flatMap(name => differences(from[name], to[name], pointerTo(path, name)))
}

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
