/** Where a part of the house says what happened: the fields first, as pino has it. Secrets never go in. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  /** Whether lines of a level go anywhere; missing, all do. */
  isLevelEnabled?(level: string): boolean
}

/** Whether a line would be written at all: asked where to put its fields together costs more than the question. */
export const isEnabled = (log: Logger, level: 'debug' | 'info' | 'warn' | 'error'): boolean =>
  log.isLevelEnabled?.(level) ?? true

const nothing = () => {}

export const silentLogger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing }

/** The same log, with these fields in every line. */
export const withFields = (log: Logger, common: object): Logger => new NamedLogger(log, common)

/** A class, because each reconcile has one and most say nothing: five functions of its own would be most of what it costs. */
class NamedLogger implements Logger {
  private readonly log: Logger
  private readonly common: object

  constructor(log: Logger, common: object) {
    this.log = log
    this.common = common
  }

  isLevelEnabled(level: string): boolean {
    return this.log.isLevelEnabled?.(level) ?? true
  }

  debug(fields: object, message: string): void {
    this.log.debug({ ...this.common, ...fields }, message)
  }

  info(fields: object, message: string): void {
    this.log.info({ ...this.common, ...fields }, message)
  }

  warn(fields: object, message: string): void {
    this.log.warn({ ...this.common, ...fields }, message)
  }

  error(fields: object, message: string): void {
    this.log.error({ ...this.common, ...fields }, message)
  }
}
