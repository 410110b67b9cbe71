import type { ServiceInfo } from '@stead/provider-kit'
import type { Instant } from '@stead/world'
import type { ProcessMark } from '../machine/processes.ts'
import type { PortState } from '../network/forwarder.ts'
import type { Ids } from '../sandbox/paths.ts'
import type { SealedSpec } from './sealing.ts'

/**
 * Written when it is launched, before anything else happens, and whole again when something of it is changed. The
 * fingerprint stays: by it the same launch is known again.
 */
export interface KeptLaunch extends SealedSpec {
  readonly fingerprint: string
  readonly launchedAt: Instant
  /** What it was at first, until something else is written. */
  readonly initial: KeptState
  /** Who its services are for the machine; absent when they are who we are. */
  readonly outer?: Ids
  /** By service, the last change that what ran before must be started again for, and the last that it is told by signal. */
  readonly changes?: Readonly<Record<string, ServiceChanges>>
  /** How many changes there were. A process knows how many there were when it was started, or told last. */
  readonly sequence?: number
}

export interface ServiceChanges {
  readonly restart?: number
  readonly files?: number
}

/** One process of a service, with the proof by which the next supervisor knows it again. */
export interface RunMark {
  /** What we started: bubblewrap, or the shell that records how it ended. */
  readonly monitor: ProcessMark
  /** The first process inside; undefined until it is there. */
  readonly first: ProcessMark | undefined
  readonly startedAt: Instant
  /** How often something was killed for want of memory before. */
  readonly oomKills: number
  /** How many changes it has been given; absent for none. */
  readonly sequence?: number
}

export interface ServiceState {
  readonly state: ServiceInfo['state']
  readonly restarts: number
  readonly exitCode?: number | undefined
  readonly reason?: string | undefined
  readonly run?: RunMark | undefined
}

export const phases = ['pending', 'running', 'stopping', 'stopped', 'terminating'] as const
export type Phase = (typeof phases)[number]

/** What is wanted of it and what became of it, rewritten whenever it changes. */
export interface KeptState {
  readonly power: 'on' | 'off' | 'gone'
  readonly phase: Phase
  readonly reason?: string | undefined
  /** When it was last started. */
  readonly startedAt: Instant | null
  readonly services: Readonly<Record<string, ServiceState>>
  readonly ports: readonly PortState[]
}

export const initialService: ServiceState = { state: 'waiting', restarts: 0 }
