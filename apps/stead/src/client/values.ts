import { type Duration, minutes, parseDuration } from '@stead/world'
import { StartError } from '../exit-codes.ts'

/** `name=value`, several of them. */
export function pairs(flag: string, texts: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(
    texts.map(text => {
      const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
      if (name === undefined) throw new StartError('usage', `${flag} ${text} must be name=value`)
      return [name, value!]
    }),
  )
}

/** A whole number, if one was given. */
export function count(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,9}$/.test(text)) throw new StartError('usage', `${flag} ${text} must be a number`)
  return Number(text)
}

export function duration(flag: string, text: string | undefined, fallback: Duration = minutes(10)): Duration {
  if (text === undefined) return fallback
  const found = parseDuration(text)
  if (found === undefined) throw new StartError('usage', `${flag} ${text} must be a duration such as 90s or 10m`)
  return found
}

/** What was given, without what was not. */
export const given = <T extends object>(values: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
