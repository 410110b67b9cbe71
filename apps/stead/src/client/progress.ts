import type { Instance, WaitOptions } from '@stead/sdk'
import { millis, type Timer } from '@stead/world'
import { goingOn, type Session } from './session.ts'

export interface Settling extends Omit<WaitOptions, 'signal' | 'onInterrupted'> {
  readonly name: string
  /** What Ctrl-C does not stop, and how to come back to it. */
  readonly whatGoesOn: string
}

const redrawEvery = millis(100)
/** Turns while something is waited for, so that one sees that it is. */
const frames = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏']

/** Waits until an instance is as wanted, and shows a person how far it has come; in a pipe each phase is a line. */
export function settle(session: Session, { name, whatGoesOn, ...options }: Settling): Promise<Instance> {
  const { project, out, world, signal } = session
  const since = world.monotonic()
  let shown = ''
  let timer: Timer | undefined
  const draw = () => {
    const waited = world.monotonic() - since
    const frame = frames[Math.floor(waited / redrawEvery) % frames.length]
    out.status(`${frame} ${shown} … ${Math.round(waited / 1_000)}s`)
    timer = world.setTimer(redrawEvery, draw)
  }
  const show = (text: string) => {
    if (text === shown) return
    shown = text
    timer?.cancel()
    if (out.isWatched) draw()
    else if (!out.isJson) out.note(text)
  }
  return goingOn(session, whatGoesOn, async () => {
    try {
      return await project.instances.waitUntil(name, {
        ...options,
        signal,
        onInterrupted: why => show(`${why}; looking for it again`),
        onChange: instance => show(howFar(instance)),
      })
    } finally {
      timer?.cancel()
      out.status('')
    }
  })
}

/** Its phase, the step that is under way, and what stands in the way if something does. */
function howFar({ metadata, status }: Instance): string {
  const { phase, operation, conditions } = status
  const trouble = conditions.find(({ type }) => type === 'Trouble')
  const step = operation?.step ? ` (${operation.step})` : ''
  return `${metadata.name} is ${phase}${step}${trouble ? `: ${trouble.message}` : ''}`
}
