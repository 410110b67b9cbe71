import { posix } from 'node:path'
import { ProviderError } from '../errors.ts'

/** A path as a service means it, or a refusal: absolute, without `..`, and not the root itself. */
export function insidePath(path: string, what: string): string {
  const refuse = (why: string) => new ProviderError('InvalidConfig', `${what} ${JSON.stringify(path)} ${why}`)
  if (!path.startsWith('/')) throw refuse('is not absolute')
  if (path.includes('\0')) throw refuse('holds a NUL')
  if (path.split('/').includes('..')) throw refuse('holds ".."')
  const normal = posix.normalize(path).replace(/\/+$/, '')
  if (normal === '') throw refuse('is the root itself')
  if (/^\/(proc|dev|sys)(\/|$)/.test(normal)) throw refuse('is the kernel’s')
  return normal
}
