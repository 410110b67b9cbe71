import type { Store } from '../words/store.ts'

/** The same store with another way to commit. */
export function withCommit<S extends Store>(store: S, commit: Store['commit']): S {
  const methods = new Map<string | symbol, unknown>([['commit', commit]])
  return new Proxy(store, {
    get(target, name) {
      if (methods.has(name)) return methods.get(name)
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      const method: unknown = value.bind(target)
      methods.set(name, method)
      return method
    },
  })
}
