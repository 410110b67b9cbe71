/**
 * Whom a certificate of ours names: one user of one machine. An authority may be trusted by many machines, and a name alone
 * would open them all.
 */
export const principalOf = (instanceId: string, user: string): string => `${instanceId}/${user}`
