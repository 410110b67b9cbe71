type Json = Readonly<Record<string, unknown>>

const isMap = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether what a file does not name is removed, at a path such as `/spec/source`. */
export type Removes = (path: string) => boolean

/**
 * The JSON merge patch that makes of what there is what is wanted: undefined where there is nothing to do. What is not
 * named stays, except where `removes` says that the wanted is the whole.
 */
export function patchTo(current: unknown, wanted: unknown, removes: Removes, path = ''): unknown {
  if (!isMap(wanted) || !isMap(current)) return isEqual(current, wanted) ? undefined : wanted
  const patch: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(wanted)) {
    const change = patchTo(current[key], value, removes, `${path}/${key}`)
    if (change !== undefined) patch[key] = change
  }
  for (const key of Object.keys(current)) if (!(key in wanted) && removes(`${path}/${key}`)) patch[key] = null
  return Object.keys(patch).length > 0 ? patch : undefined
}

/** What a patch changes, leaf by leaf. */
export function changesOf(
  current: unknown,
  patch: unknown,
  path = '',
): { path: string; from?: unknown; to?: unknown }[] {
  if (isMap(patch) && (isMap(current) || current === undefined) && Object.keys(patch).length > 0)
    return Object.entries(patch).flatMap(([key, value]) =>
      changesOf(isMap(current) ? current[key] : undefined, value, `${path}/${key}`),
    )
  return [{ path, ...(current !== undefined && { from: current }), ...(patch !== null && { to: patch }) }]
}

export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isEqual(item, b[index]))
  if (!isMap(a) || !isMap(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every(key => key in b && isEqual(a[key], b[key]))
}
