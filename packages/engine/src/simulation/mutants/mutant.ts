import type { ExampleParts, SeedOptions } from '../example/run.ts'
import type { ExampleInvariant } from '../example/watchman.ts'
import type { EngineInvariant } from '../violations.ts'

/** An engine with one deliberate bug. A simulation that does not notice is too weak. */
export interface Mutant {
  readonly name: string
  /** The part with the bug in it … */
  readonly parts?: ExampleParts
  /** … or, for what the engine makes for itself: puts the bug in and answers how to take it out. */
  readonly install?: () => () => void
  /** What notices it. A bug shows in more than one way, but not in any way. */
  readonly caughtBy: readonly (EngineInvariant | ExampleInvariant)[]
  /** Faults that bring it out sooner. */
  readonly emphasis?: NonNullable<SeedOptions['emphasis']>
}

// biome-ignore lint/suspicious/noExplicitAny: a mutant reaches into what no type lets it reach.
type Method = (this: any, ...values: any[]) => any

/** Replaces a method of a class, private or not, until the answered function is called. */
export function swap(type: { prototype: object }, method: string, replace: (original: Method) => Method): () => void {
  const prototype = type.prototype as Record<string, Method>
  const original = prototype[method]
  if (!original) throw new Error(`there is no method ${method} any more`)
  prototype[method] = replace(original)
  return () => {
    prototype[method] = original
  }
}
