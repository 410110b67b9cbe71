import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'

/** The kernel's limit for the path of a unix socket, with its final zero: 108 bytes on Linux, 104 elsewhere. */
const longest = 100

/**
 * A path for the socket in a data directory that the kernel takes, however deep the directory lies.
 * Release it when the socket is closed, not before: closing removes the socket by this path.
 */
export function socketPath(data: string): { readonly path: string; release(): void } {
  const path = join(data, 'admin.sock')
  if (Buffer.byteLength(path) <= longest || process.platform !== 'linux') return { path, release() {} }
  const directory = openSync(data, 'r')
  return { path: `/proc/self/fd/${directory}/admin.sock`, release: () => closeSync(directory) }
}
