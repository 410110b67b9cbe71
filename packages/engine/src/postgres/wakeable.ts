import type { Duration, World } from '@stead/world'

/** A wait that can be cut short, even before it begins. For one who waits. */
export class WakeableWait {
  private readonly world: World
  private woken = false
  private wakeUp: (() => void) | undefined

  constructor(world: World) {
    this.world = world
  }

  wake(): void {
    this.woken = true
    this.wakeUp?.()
  }

  /** Waits this long, or until somebody wakes. A wake since the last wait counts. */
  async wait(longest: Duration): Promise<void> {
    if (!this.woken)
      await new Promise<void>(resolve => {
        const timer = this.world.setTimer(longest, resolve)
        this.wakeUp = () => {
          timer.cancel()
          resolve()
        }
      })
    this.wakeUp = undefined
    this.woken = false
  }
}
