import { type Duration, millis, type World } from '@stead/world'

/**
 * Keeps work that never waits from holding the event loop. Ten thousand reconciles that find nothing to do would run
 * in one go, and no request would be answered meanwhile: after a few milliseconds everybody else gets a turn.
 */
export class LoopBudget {
  private readonly world: World
  private readonly length: Duration
  private turnBegan: Duration | undefined
  private waiting = new Set<() => void>()

  constructor(world: World, length: Duration = millis(5)) {
    this.world = world
    this.length = length
  }

  /** Whether there is time left in this turn. If not, `resume` is called in the next. */
  hasTime(resume: () => void): boolean {
    const now = this.world.monotonic()
    if (this.turnBegan === undefined) {
      this.turnBegan = now
      // It fires as soon as the loop comes round, which is what ends a turn.
      this.world.setTimer(millis(0), () => this.nextTurn())
    }
    if (now - this.turnBegan < this.length) return true
    this.waiting.add(resume)
    return false
  }

  private nextTurn(): void {
    this.turnBegan = undefined
    const { waiting } = this
    this.waiting = new Set()
    for (const resume of waiting) resume()
  }
}
