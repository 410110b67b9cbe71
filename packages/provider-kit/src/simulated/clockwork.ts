import {
  Agenda,
  type Appointment,
  type Duration,
  type Instant,
  instant,
  millis,
  type Timer,
  type World,
} from '@stead/world'

type Due = () => void

/**
 * What will happen in the cloud, on one heap. Nothing ticks: what has come due happens when somebody next looks, with the
 * clock at its own moment. Only while somebody listens (a watch, a follower) is there a timer, and then one for all.
 */
export class Clockwork {
  readonly #world: World
  readonly #agenda = new Agenda<Due>()
  #listeners = 0
  #timer: { readonly due: number; readonly timer: Timer } | undefined
  /** The moment of what is happening; undefined while nothing is. */
  #happening: number | undefined

  constructor(world: World) {
    this.#world = world
  }

  get now(): number {
    return this.#happening ?? this.#world.monotonic()
  }

  /** The wall-clock time of `now`. */
  get instant(): Instant {
    return instant(Math.round(this.#world.now() - (this.#world.monotonic() - this.now)))
  }

  later(delay: Duration, happen: Due): Appointment<unknown> {
    const appointment = this.#agenda.add(this.now + delay, happen)
    this.#arm()
    return appointment
  }

  cancel(appointment: Appointment<unknown> | undefined): void {
    if (appointment) this.#agenda.remove(appointment as Appointment<Due>)
  }

  /** Lets everything happen that is due. */
  advance(): void {
    if (this.#happening !== undefined) return
    const until = this.#world.monotonic()
    try {
      for (;;) {
        const next = this.#agenda.takeDue(until)
        if (!next) break
        this.#happening = next.due
        next.item()
      }
    } finally {
      this.#happening = undefined
    }
    this.#arm()
  }

  /** From now until the answer is called, things happen on time by themselves. */
  listen(): () => void {
    this.#listeners++
    this.#arm()
    let listening = true
    return () => {
      if (!listening) return
      listening = false
      this.#listeners--
      this.#arm()
    }
  }

  #arm(): void {
    const due = this.#listeners > 0 ? this.#agenda.first()?.due : undefined
    if (due === this.#timer?.due) return
    this.#timer?.timer.cancel()
    this.#timer = undefined
    if (due === undefined) return
    // Rounded up: timers have whole milliseconds, and one that fires early finds nothing due.
    const wait = millis(Math.max(0, Math.ceil(due - this.#world.monotonic())))
    const timer = this.#world.setTimer(wait, () => {
      this.#timer = undefined
      this.advance()
    })
    this.#timer = { due, timer }
  }
}
