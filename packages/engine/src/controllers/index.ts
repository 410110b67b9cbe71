export {
  type Controller,
  controller,
  type OutsideCall,
  owned,
  type ReconcileContext,
  type ReconcileTracing,
  type Wake,
} from './controller.ts'
export { DeadlineError, ObserveOnlyError, ShardLostError, StoppingError } from './errors.ts'
export { addFinalizer, hasFinalizer, letGo, mayBeRemoved, removeFinalizer } from './finalizers.ts'
export { LoopBudget } from './loop-budget.ts'
export { type LiveNode, liveNodes } from './nodes.ts'
export { type Ending, type Entry, type Lane, type QueueOptions, WorkQueue } from './queue.ts'
export { shardCount, shardOf } from './shards.ts'
export type { ControllerState, StuckObject } from './state.ts'
