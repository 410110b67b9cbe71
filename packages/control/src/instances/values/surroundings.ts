/** What an instance may refer to besides itself and its variables. */
const references = [
  'project.id',
  'project.name',
  'organization.id',
  'organization.name',
  'region.name',
  'network.cidr',
] as const

/**
 * What is around an instance, by the words that refer to it. What it refers to is kept with it when that is written, so
 * that whatever is launched for it later is the same.
 */
export type Surroundings = Readonly<Partial<Record<(typeof references)[number], string>>>

export const mentioned = (reference: string): boolean => (references as readonly string[]).includes(reference)
