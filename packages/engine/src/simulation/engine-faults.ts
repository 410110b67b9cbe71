import type { FaultCatalogue } from './faults.ts'

/** What can go wrong between nodes, network and database. What is asked "each second" is asked in `gremlins.ts`. */
export const engineFaults = {
  'request-lost': { usual: 0.02, meaning: 'a request never reaches the database' },
  'request-duplicated': { usual: 0.02, meaning: 'a request reaches the database twice, the second time later' },
  'request-delayed': { usual: 0.04, meaning: 'a request reaches the database seconds later, after it was sent again' },
  'answer-lost': { usual: 0.03, meaning: 'the database did it, and its answer is lost' },
  'answer-delayed': {
    usual: 0.03,
    meaning: 'an answer of the database takes seconds, or comes when nobody waits for it',
  },
  'hint-lost': { usual: 0.2, meaning: 'a node is not told that the log has grown and must find out by asking' },
  'log-reading-delayed': { usual: 0.03, meaning: 'a node reads the log late: everything it knows is old' },
  'watch-cut': { usual: 0.02, meaning: 'a watch ends and must be taken up where it was' },
  'snapshot-cut': { usual: 0.05, meaning: 'a snapshot breaks off and must be asked for again' },
  'log-compacted': { usual: 0.1, meaning: 'each second: the log forgets all but its last entries' },
  partition: { usual: 0.015, meaning: 'each second and node: the node cannot reach the database for a while' },

  'interfering-write': { usual: 0.03, meaning: 'somebody else changes an object between reading and committing it' },
  'disk-slow': { usual: 0.02, meaning: 'a sync takes seconds' },
  'database-crash-before-sync': { usual: 0.02, meaning: 'the database dies with a batch that is not on disk' },
  'database-crash-after-sync': { usual: 0.02, meaning: 'the database dies before it answers for a batch on disk' },
  'database-restart': { usual: 0.006, meaning: 'each second: the database goes away and comes back' },
  'database-clock-back': { usual: 0.3, meaning: 'the database comes back with a clock that is behind' },

  'node-crash': { usual: 0.008, meaning: 'each second and node: the node dies and a new one starts' },
  'node-crash-before-commit': { usual: 0.02, meaning: 'a node dies instead of sending a change-set' },
  'node-crash-after-commit': {
    usual: 0.02,
    meaning: 'a node dies when its change-set is on disk and not yet answered',
  },
  'node-pause': { usual: 0.012, meaning: 'each second and node: it stands still, for longer than a lease or less' },
  'node-pause-at-commit': { usual: 0.02, meaning: 'a node stands still between deciding on a commit and sending it' },
  'node-pause-at-lease': { usual: 0.04, meaning: 'a node stands still while an answer about its leases is under way' },
  'node-clock-step': { usual: 0.01, meaning: 'each second and node: the wall clock of the node jumps' },
} as const satisfies FaultCatalogue

export type EngineFault = keyof typeof engineFaults
