import type { TagFilter } from '../filter.ts'
import type { CallOptions, CreateOptions } from '../provider.ts'
import type { Tags } from '../tags.ts'
import type { CreateToken } from '../tokens.ts'

/** What every create besides a launch is given. */
export interface ResourceSpec {
  readonly name: string
  /** Ours, which prove ownership, and the user's. */
  readonly tags: Tags
}

export const resourceStates = ['pending', 'ready', 'failed', 'deleting', 'unknown'] as const
export type ResourceState = (typeof resourceStates)[number]

export interface ResourceInfo {
  /** The backend's id. */
  readonly id: string
  readonly name: string
  readonly state: ResourceState
  readonly stateReason?: string
  readonly tags: Tags
}

/**
 * Things of one kind that are made, found and removed: networks, volumes, images. All keep the promises that servers keep:
 * made once per token, found by tags, removed only with proof by tag, and removing what is gone succeeds.
 */
export interface Collection<Spec extends ResourceSpec, Info extends ResourceInfo> {
  create(spec: Spec, token: CreateToken, options?: CreateOptions): Promise<Info>
  describe(id: string, options?: CallOptions): Promise<Info>
  list(filter: TagFilter, options?: CallOptions): AsyncIterable<readonly Info[]>
  /** `Conflict` while something uses it. */
  delete(id: string, options?: CallOptions): Promise<void>
}
