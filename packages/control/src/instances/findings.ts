import type { View } from '@stead/engine'
import { Region } from '../regions/model.ts'
import { Orphan, orphansByRegion } from '../servers/orphans/model.ts'
import { differingInstances, instances } from './model.ts'

/** What there is to look at in a region: objects of nobody, and instances that are gone or other than they were made. */
export interface Findings {
  readonly region: string
  readonly orphans: number
  readonly differences: number
}

/** Counts what operators should look at before a restored store acts again; regions with nothing are left out. */
export const findingsIn = (everything: View): readonly Findings[] =>
  everything.list<Region>({ kind: Region.kind }).items.flatMap(({ id, name = id }) => {
    const orphans = everything.count({ kind: Orphan.kind, index: { name: orphansByRegion.name, key: id } })
    const differences = everything.count({ kind: instances, index: { name: differingInstances.name, key: id } })
    return orphans + differences > 0 ? [{ region: name, orphans, differences }] : []
  })
