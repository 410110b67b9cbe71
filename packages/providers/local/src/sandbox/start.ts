import type { ChildProcess } from 'node:child_process'
import type { Cgroup } from '../cgroups/index.ts'
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
  /** Open files for what it prints, and the one its fate is written to. */
  readonly stdout: number
  readonly stderr: number
  readonly status: number
  /** A process whose network it shares; undefined: one of its own. */
  readonly networkOf: number | undefined
}

/** Starts a service. It joins its control group before it does anything else. */
export type Start = (request: StartRequest) => ChildProcess
