import { isProviderError, promptly } from '@stead/provider-kit'
import { reasonOf } from '../engine/client.ts'
import type { Engine } from '../engine/engine.ts'
import type { Container, EngineEvent } from '../engine/words.ts'
import { hasRun, isUp, time } from './view.ts'

/** 128 and the number of SIGKILL. */
const killed = 137
/** So long after the end of a container its engine may still hear why it ended. */
const patience = 1_000
/** Each end is asked about once. Past this many the first are forgotten, and asked about again. */
const most = 1_000

/**
 * Tells who was killed for want of memory when Docker does not. It hears of an end and of its reason by two messages that
 * race. Where the reason comes second it is told as an event, and Docker 20 never shows it; where the runtime is slower than
 * the kernel it never comes (https://github.com/containerd/containerd/issues/8893).
 */
export class OutOfMemory {
  readonly #engine: Pick<Engine, 'eventsOf'>
  readonly #asked = new Map<string, Promise<boolean>>()

  constructor(engine: Pick<Engine, 'eventsOf'>) {
    this.#engine = engine
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
    const asked = this.#search(container).catch(error => {
      this.#asked.delete(key)
      throw isProviderError(error) ? error : reasonOf(`the events of ${container.Name}`, error as Error, undefined)
    })
    this.#asked.set(key, asked)
    if (this.#asked.size > most) this.#asked.delete(this.#asked.keys().next().value!)
    return asked
  }

  /**
   * Nothing inside a container can kill its first process. So who had a limit, was killed, and by nobody through the engine,
   * was killed by the kernel: also when the engine was told nothing of that. What it has forgotten, nobody claims to know.
   */
  async #search({ Id, State }: Container): Promise<boolean> {
    const between = { since: time(State.StartedAt), until: time(State.FinishedAt) + patience }
    let hasEnded = false
    for await (const event of this.#engine.eventsOf(Id, between)) {
      if (event.Action === 'oom') return true
      if (hasEnded && event.Action === 'start') return true
      if (!hasEnded && isKill(event)) return false
      hasEnded ||= event.Action === 'die'
    }
    return hasEnded
  }
}

function isInDoubt(container: Container): boolean {
  const { State, HostConfig } = container
  const isKilled = hasRun(container) && !isUp(container) && State.ExitCode === killed
  return isKilled && !State.OOMKilled && (HostConfig.Memory ?? 0) > 0
}

const isKill = ({ Action, Actor: { Attributes } }: EngineEvent): boolean =>
  Action === 'kill' && /^(9|(SIG)?KILL)$/.test(Attributes?.signal ?? '')
