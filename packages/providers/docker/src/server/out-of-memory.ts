import { promptly } from '@stead/provider-kit'
import type { Container } from '../engine/words.ts'
import { hasRun, isUp } from './view.ts'

/** 128 and the number of SIGKILL. */
const killed = 137
/** Each end is asked about once. Past this many the first are forgotten, and asked about again. */
const most = 1_000

/** Finds out whether an ended container was killed for want of memory. */
export type Evidence = (ended: Container) => Promise<boolean>

/** Tells who was killed for want of memory where the engine does not. What it does say is believed. */
export class OutOfMemory {
  readonly #evidence: Evidence
  readonly #asked = new Map<string, Promise<boolean>>()

  constructor(evidence: Evidence) {
    this.#evidence = evidence
  }

  /** The same container, with the truth about its end. */
  async judge(container: Container, signal?: AbortSignal): Promise<Container> {
    if (!isInDoubt(container) || !(await promptly(this.#ask(container), signal))) return container
    return { ...container, State: { ...container.State, OOMKilled: true } }
  }

  #ask(container: Container): Promise<boolean> {
    const key = `${container.Id} ${container.State.FinishedAt}`
    const known = this.#asked.get(key)
    if (known) return known
    const asked = this.#evidence(container).catch(error => {
      this.#asked.delete(key)
      throw error
    })
    this.#asked.set(key, asked)
    if (this.#asked.size > most) this.#asked.delete(this.#asked.keys().next().value!)
    return asked
  }
}

function isInDoubt(container: Container): boolean {
  const { State, HostConfig } = container
  const isKilled = hasRun(container) && !isUp(container) && State.ExitCode === killed
  return isKilled && !State.OOMKilled && (HostConfig.Memory ?? 0) > 0
}
