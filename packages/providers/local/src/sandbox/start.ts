import type { Cgroup } from '../cgroups/index.ts'
import type { ProcessMark } from '../machine/processes.ts'
import type { Ids } from './paths.ts'
import type { MountPlan } from './plan.ts'

/** Everything a level of isolation needs to start one service. */
export interface StartRequest {
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly plan: MountPlan
  readonly directory: string
  readonly hostname: string
  /** Who it is for the machine; undefined when we are no root and cannot be anybody else. */
  readonly outer: Ids | undefined
  /** Who it is for itself. */
  readonly inner: Ids
  readonly cgroup: Cgroup | undefined
  /** Where the pipes are that it prints into, `stdout` and `stderr`, and the file its fate is written to, `status`. */
  readonly run: string
  /** A process whose network it shares; undefined: one of its own. */
  readonly networkOf: number | undefined
}

/** A service that is being started. */
export interface Started {
  /** The process that stays as long as it runs. */
  readonly monitor: ProcessMark
  /** Lets it begin, once it is kept who it is. */
  begin(): void
  /** How it ended: 128 + its number for a signal; undefined when nobody saw it. `silent`: when nobody can print any more. */
  ended(silent: Promise<unknown>): Promise<number | undefined>
}

/** Starts a service. It joins its control group before it does anything else. */
export type Start = (request: StartRequest) => Promise<Started>
