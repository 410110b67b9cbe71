import type { Revision } from '@stead/engine'
import { fail } from '../errors/index.ts'

/** Whether a list of entity tags (`"12", W/"13"`, or `*`) names this revision. */
export const names = (tags: string, revision: Revision): boolean =>
  tags
    .split(',')
    .some(tag => /^(?:\*|(?:W\/)?"(\d+)")$/.test(tag.trim()) && (tag.trim() === '*' || tag.includes(`"${revision}"`)))

/** Refuses a change to an object that is no longer what the caller saw. */
export function refuseStale(ifMatch: string | undefined, { revision }: { readonly revision: Revision }): void {
  if (ifMatch === undefined || names(ifMatch, revision)) return
  throw fail('stale', `it is at revision ${revision} now`, { extensions: { revision } })
}
