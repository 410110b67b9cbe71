import { type Outside, OutsideError } from '../../simulation/example/outside/api.ts'

/** Speaks to an OutsideServer. Whatever goes wrong on the way may have happened or not: only asking again tells. */
export function httpOutside(url: string): Outside {
  async function ask<T>(call: string, body: unknown, signal: AbortSignal): Promise<T> {
    try {
      const response = await fetch(url, { method: 'POST', body: JSON.stringify({ call, body }), signal })
      return ((await response.json()) as { result: T }).result
    } catch (error) {
      signal.throwIfAborted()
      throw new OutsideError('unavailable', String(error))
    }
  }
  return {
    make: (request, signal) => ask('make', request, signal),
    remove: (token, signal) => ask('remove', { token }, signal),
    find: (token, signal) => ask('find', { token }, signal),
    list: signal => ask('list', {}, signal),
  }
}
