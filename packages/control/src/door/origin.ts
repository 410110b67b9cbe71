import type { IncomingHttpHeaders } from 'node:http'

/** Whether a request comes from a page of ours, as browsers say. What is no browser says nothing. */
export function isOwnOrigin({ origin, host }: IncomingHttpHeaders, publicHost: string | undefined): boolean {
  return origin !== undefined && URL.parse(origin)?.host === (publicHost ?? host)
}

export const hostOf = (publicUrl: string | undefined): string | undefined =>
  publicUrl === undefined ? undefined : new URL(publicUrl).host
