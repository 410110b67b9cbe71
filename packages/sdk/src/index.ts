export {
  type CallOptions,
  type Input,
  type ItemOf,
  type ListName,
  type OperationName,
  type ReplyOf,
  Stead,
} from './client.ts'
export { followEvents } from './follow-events.ts'
export type * from './generated/api.ts'
export { Instances } from './instances.ts'
export type { LogLine, LogOptions } from './logs.ts'
export type { Machine } from './machine.ts'
export type { Phase, WaitOptions } from './observe.ts'
export { isProblem, type ProblemCode, SteadProblem, Unreachable, WaitFailed } from './problem.ts'
export { Project } from './project.ts'
export { StreamEnded, type StreamOptions } from './stream.ts'
export { Terminal, type TerminalExit, type TerminalOutput, type TerminalSignal } from './terminal.ts'
export type { TransportOptions } from './transport.ts'
export { type AnyObject, type Change, WatchGone, type WatchOptions } from './watch.ts'
