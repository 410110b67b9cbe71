/** What matters of a system call trace: writes and syncs of the write-ahead log, and acknowledgements on stdout. */
export type TraceEvent =
  | { readonly type: 'written' }
  | { readonly type: 'synced' }
  | { readonly type: 'sync failed' }
  | { readonly type: 'acknowledged'; readonly revision: number }

/**
 * Reads the output of `strace -f -y -e trace=write,pwrite64,fdatasync,fsync`. A write counts from its start and a sync
 * from its end, as each would have to be for the disk to be safe at that line; an acknowledgement from its start.
 */
export function readTrace(text: string): TraceEvent[] {
  const syncing = new Set<string>()
  return text.split('\n').flatMap((line): TraceEvent[] => {
    const [, thread = '', call = ''] = /^(\d+)\s+(.*)$/.exec(line) ?? []
    const said = /^write\(1<[^>]*>, "acknowledged (\d+) /.exec(call)
    if (said) return [{ type: 'acknowledged', revision: Number(said[1]) }]
    if (/^pwrite64\(\d+<[^>]*-wal>/.test(call)) return [{ type: 'written' }]
    if (/^(fdatasync|fsync)\(\d+<[^>]*-wal>/.test(call)) {
      if (!call.includes('<unfinished')) return [ended(call)]
      syncing.add(thread)
    }
    if (/^<\.\.\. (fdatasync|fsync) resumed>/.test(call) && syncing.delete(thread)) return [ended(call)]
    return []
  })
}

const ended = (call: string): TraceEvent => ({ type: / = 0\b/.test(call) ? 'synced' : 'sync failed' })

/** The revisions that were acknowledged while something written to the log was not yet synced. */
export function acknowledgedTooEarly(events: readonly TraceEvent[]): number[] {
  let isSafe = false
  return events.flatMap(event => {
    if (event.type === 'written') isSafe = false
    if (event.type === 'synced') isSafe = true
    if (event.type !== 'acknowledged') return []
    const wasSafe = isSafe
    // The next acknowledgement needs a sync of its own.
    isSafe = false
    return wasSafe ? [] : [event.revision]
  })
}
