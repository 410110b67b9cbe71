import { isProviderError } from '@stead/provider-kit'
import { reasonOf } from '../engine/client.ts'
import type { Engine } from '../engine/engine.ts'
import type { Container, EngineEvent } from '../engine/words.ts'
import type { Evidence } from './out-of-memory.ts'
import { time } from './view.ts'

/** So long after the end of a container its engine may still hear why it ended. */
const patience = 1_000

/**
 * What Docker told while a container ran. It hears of an end and of its reason by two messages that race. Where the reason
 * comes second it is told as an event, and Docker 20 never shows it; where the runtime is slower than the kernel it never
 * comes (https://github.com/containerd/containerd/issues/8893).
 */
export const engineEvents =
  (engine: Pick<Engine, 'eventsOf'>): Evidence =>
  async container => {
    try {
      return await search(engine, container)
    } catch (error) {
      throw isProviderError(error) ? error : reasonOf(`the events of ${container.Name}`, error as Error, undefined)
    }
  }

/**
 * Nothing inside a container can kill its first process. So who had a limit, was killed, and by nobody through the engine,
 * was killed by the kernel: also when the engine was told nothing of that. What it has forgotten, nobody claims to know.
 */
async function search(engine: Pick<Engine, 'eventsOf'>, { Id, State }: Container): Promise<boolean> {
  const between = { since: time(State.StartedAt), until: time(State.FinishedAt) + patience }
  let hasEnded = false
  for await (const event of engine.eventsOf(Id, between)) {
    if (event.Action === 'oom') return true
    if (hasEnded && event.Action === 'start') return true
    if (!hasEnded && isKill(event)) return false
    hasEnded ||= event.Action === 'die'
  }
  return hasEnded
}

const isKill = ({ Action, Actor: { Attributes } }: EngineEvent): boolean =>
  Action === 'kill' && /^(9|(SIG)?KILL)$/.test(Attributes?.signal ?? '')
