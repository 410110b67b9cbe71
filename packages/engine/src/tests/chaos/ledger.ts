/** The lease under which the ledger of the stalled-leader test is written, and what each of its pages has in common. */
export const leadership = 'leadership'
export const ledger = { kind: 'ledger', labels: {}, finalizers: [], status: {} } as const
