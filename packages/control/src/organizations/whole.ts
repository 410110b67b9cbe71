import { type Part, type Whole, whole } from '../teardown/model.ts'
import { Organization, organizationName } from './model.ts'

/** An organization with what is in it. */
export const organizationWhole = (parts: readonly Part[]): Whole =>
  whole(Organization.kind, {
    parts,
    keys: ({ name }) => [organizationName(name!)],
    inside: (everything, { id }) => everything.within({ organization: id }),
  })
