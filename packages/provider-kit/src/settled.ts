import type { Duration, World } from '@stead/world'
import { isProviderError } from './errors.ts'
import type { CallOptions } from './provider.ts'

/**
 * Reads, and believes that something is not there only when it is still not there after the backend's older pictures have
 * passed. Whoever acts on "gone" reads this way: a terminate right after a launch must not take the new server for gone.
 */
export async function settled<T>(
  world: World,
  oldest: Duration,
  read: () => Promise<T>,
  { signal }: CallOptions = {},
): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!isProviderError(error, 'NotFound') || oldest === 0) throw error
    await world.sleep(oldest, signal)
    return read()
  }
}
