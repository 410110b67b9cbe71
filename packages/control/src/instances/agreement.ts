import { canonicalJson } from '@stead/engine'
import type { Server } from '../servers/model.ts'
import type { AgreedChange, Instance, InstanceSpec } from './model.ts'

/** What was agreed to of which nothing is true: it has not begun, or was given up. */
export function unmade({ status: { change } }: Instance, active: Server | undefined): AgreedChange | undefined {
  if (!change) return undefined
  const isTold = active !== undefined && active.spec.generation >= change.generation
  return isTold && !change.failed ? undefined : change
}

/** What is agreed to after the next generation, in which nothing differs of what is launched: the same for that one. */
export function carriedOver(instance: Instance, active: Server | undefined): AgreedChange | undefined {
  const change = unmade(instance, active)
  if (change?.generation !== instance.generation) return instance.status.change
  return { ...change, generation: change.generation + 1 }
}

/** Whether anything that is wanted changes, and so the generation moves. */
export const movesGeneration = (target: Instance, spec: InstanceSpec): boolean =>
  canonicalJson(spec) !== canonicalJson(target.spec)
