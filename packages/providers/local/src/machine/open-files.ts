import { closeSync, readdirSync } from 'node:fs'
import { readOr } from '../cgroups/hierarchies.ts'

const closesOnExec = 0o2000000

/**
 * Closes what whoever started us forgot to keep to themselves: it would be handed on to every service. What Node opened, and
 * the lock we hold, is marked to be closed when another program is started.
 */
export function closeInherited(): void {
  for (const file of readdirSync('/proc/self/fd').map(Number)) {
    const flags = /^flags:\s+(\d+)/m.exec(readOr(`/proc/self/fdinfo/${file}`, ''))?.[1]
    if (file > 2 && flags !== undefined && !(Number.parseInt(flags, 8) & closesOnExec)) closeSync(file)
  }
}
