import { type Part, type Whole, whole } from '../teardown/model.ts'
import { Project, projectName } from './model.ts'

/** A project with what is in it. */
export const projectWhole = (parts: readonly Part[]): Whole =>
  whole(Project.kind, {
    parts,
    keys: ({ organizationId, name }) => [projectName(organizationId!, name!)],
    inside: (everything, { id }) => everything.within({ project: id }),
  })
