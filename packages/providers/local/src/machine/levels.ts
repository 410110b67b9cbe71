/** How well a service is kept apart from this machine, from the best down. */
export const isolationLevels = ['full', 'basic', 'none'] as const
export type Isolation = (typeof isolationLevels)[number]
