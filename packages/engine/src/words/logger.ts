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
export const withFields = (log: Logger, common: object): Logger => ({
  isLevelEnabled: level => log.isLevelEnabled?.(level) ?? true,
  debug: (fields, message) => log.debug({ ...common, ...fields }, message),
  info: (fields, message) => log.info({ ...common, ...fields }, message),
  warn: (fields, message) => log.warn({ ...common, ...fields }, message),
  error: (fields, message) => log.error({ ...common, ...fields }, message),
})
