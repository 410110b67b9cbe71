/** Whether someone sees colours there, and wants them. */
export const paints = (stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): boolean =>
  Boolean(stream.isTTY) && !env.NO_COLOR && env.TERM !== 'dumb'

/** Colours, where someone sees them. */
export class Paint {
  readonly #isOn: boolean

  constructor(isOn: boolean) {
    this.#isOn = isOn
  }

  readonly green = (text: string): string => this.#in(32, text)
  readonly yellow = (text: string): string => this.#in(33, text)
  readonly red = (text: string): string => this.#in(31, text)
  readonly dim = (text: string): string => this.#in(2, text)
  readonly bold = (text: string): string => this.#in(1, text)

  /** A state by what it means for whoever looks: well, on its way, not well. Unknown is never green. */
  state(text: string): string {
    if (['running', 'succeeded', 'healthy', 'ready', 'available', 'active'].includes(text)) return this.green(text)
    if (['failed', 'unhealthy', 'lost', 'error'].includes(text)) return this.red(text)
    return ['stopped', 'destroyed', 'cancelled', 'superseded'].includes(text) ? this.dim(text) : this.yellow(text)
  }

  #in(code: number, text: string): string {
    return this.#isOn && text !== '' ? `\x1b[${code}m${text}\x1b[0m` : text
  }
}
