import type { FaultCatalogue } from '../../faults.ts'

/** What can go wrong with what is outside, and on the way there. */
export const outsideFaults = {
  'node-crash-before-outside-call': { usual: 0.02, meaning: 'a node dies instead of calling outside' },
  'node-crash-after-outside-call': { usual: 0.02, meaning: 'a node dies after a call took effect, before its reply' },
  'outside-slow': { usual: 0.05, meaning: 'a call outside takes seconds' },
  'outside-error': { usual: 0.05, meaning: 'a call outside fails and has no effect' },
  'outside-throttled': { usual: 0.05, meaning: 'a call outside is turned away for a while' },
  'outside-reply-lost': { usual: 0.05, meaning: 'a call outside takes effect and its reply is lost' },
  'outside-late-effect': { usual: 0.02, meaning: 'a call outside takes effect long after its caller gave up' },
  'outside-stale-list': { usual: 0.3, meaning: 'a list of what is outside is seconds old' },
  'outside-death': { usual: 0.008, meaning: 'each second and thing: it dies and is still to be seen' },
  'outside-vanishing': { usual: 0.008, meaning: 'each second and thing: it is gone without a trace' },
} as const satisfies FaultCatalogue

export type OutsideFault = keyof typeof outsideFaults
