import type { ChangeSetBuilder, ReconcileContext, Result, View, Wake } from '@stead/engine'
import type { Collection, Provider, ResourceInfo, ResourceSpec } from '@stead/provider-kit'
import type { Duration, Instant } from '@stead/world'
import type { Whole } from '../teardown/model.ts'
import type { Realised } from './model.ts'

/** The groups of a provider that are collections. */
export type CreatingGroup = 'snapshot' | 'images' | 'networks' | 'securityGroups' | 'volumes'

/** For what is made of something that must be here first: how it comes, and goes when it is needed no more. */
export interface Preparing<Object extends Realised> {
  isPrepared(object: Object): boolean
  /**
   * Brings it here and writes that down; throws a `PreparationError` when it cannot. Runs anew from the start after a
   * crash, and ends when the object is deleted meanwhile.
   */
  prepare(object: Object, context: ReconcileContext): Promise<Result>
  /** Why it cannot be read from here, in words; undefined when it can. */
  missing(object: Object): Promise<string | undefined>
  /** Nothing will be made of it any more. Safe to repeat, also where nothing is left. */
  letGo(object: Object): Promise<void>
}

/** What has become of one; `gone` when nothing is left of it, by somebody's wish. */
export type RealisedEnd =
  | { readonly state: 'ready' | 'lost' | 'gone' }
  | { readonly state: 'failed'; readonly reason: string }

/** How objects of one kind stand for things that a provider keeps in one of its collections. */
export interface RealisedKind<
  Object extends Realised,
  Spec extends ResourceSpec,
  Info extends ResourceInfo,
  Group extends Collection<Spec, Info> = Collection<Spec, Info>,
> {
  /** What goes before one of them, and what goes with it. */
  readonly whole: Whole
  /** The capability a region needs for it. */
  group(object: Object): CreatingGroup
  collection(provider: Provider, object: Object): Group | undefined
  /** The id of the region it is in. */
  regionOf(object: Object, everything: View): string | undefined
  /** Those in a region, through an index. */
  inRegion(everything: View, regionId: string): readonly Object[]
  /**
   * What is made, besides name and tags. Only of what never changes while it is being made: the same token sent with
   * something else is refused.
   */
  specOf(object: Object, everything: View): Omit<Spec, keyof ResourceSpec>
  /** What must be there before it can be made, in words; undefined when all of it is. `wakes` tell when that changes. */
  needs?(object: Object, everything: View): string | undefined
  readonly wakes?: readonly Wake[]
  readonly preparing?: Preparing<Object>
  /** For kinds whose spec can change: whether what is there is as the spec says, and how it becomes so. */
  readonly update?: {
    isCurrent(object: Object, info: Info): boolean
    apply(group: Group, object: Object, options: { readonly id: string; readonly signal: AbortSignal }): Promise<Info>
  }
  /** What the backend may answer to a create of this one besides, and means that it can never be made. */
  isHopeless?(object: Object, code: string): boolean
  /** What else belongs in the change-set that says what has become of it. */
  concluding?(set: ChangeSetBuilder, object: Object, end: RealisedEnd, context: { cache: View; now: Instant }): void
  /** How long a create may take; those that carry much say more. */
  readonly createDeadline?: Duration
}
