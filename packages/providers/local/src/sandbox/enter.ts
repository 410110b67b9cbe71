import type { Isolation } from '../machine/levels.ts'
import { program } from '../machine/programs.ts'
import { filterWords } from './filter.ts'
import type { Ids } from './paths.ts'

/** A running service that something is to be run in. */
export interface Target {
  readonly level: Isolation
  /** Its first process, which has its root and all of its namespaces. */
  readonly pid: number
  readonly outer: Ids | undefined
}

/** What may enter anything below us, and is lost at the door of the service's own user namespace. */
const rights = '+sys_admin,+sys_chroot,+sys_ptrace'

/** As the service's own user from the start: there is no moment at which root could be held on to. */
function become({ level, outer }: Target): string[] {
  if (level !== 'full') return []
  if (!outer) return [...filterWords()]
  const ids = [`--reuid=${outer.uid}`, `--regid=${outer.gid}`, '--clear-groups']
  return [...filterWords(), program('setpriv'), ...ids, `--inh-caps=${rights}`, `--ambient-caps=${rights}`, '--']
}

/** The last step: its files, and its rights or rather the lack of them. */
function inside({ level, pid, outer }: Target, directory: string): string[] {
  const place = ['-t', String(pid), '-m', '-r', `--wdns=${directory}`]
  if (level === 'basic' && outer) return [...place, '-S', String(outer.uid), '-G', String(outer.gid)]
  return [...place, '-U', '--preserve-credentials']
}

const besideFiles = ['-n', '-i', '-u', '-p']

/** The words that go before a command to run it inside. */
export function enterWords(target: Target, directory: string): string[] {
  if (target.level === 'none') return []
  return [...become(target), program('nsenter'), ...inside(target, directory), ...besideFiles, '--']
}

/**
 * The same in two parts, for what has a terminal between them. The terminal's program is one of the host, so that any image
 * will do; and the process that waits outside of the namespaces must not be in the group that Ctrl-C reaches.
 */
export function enterWordsAroundTerminal(target: Target, directory: string): { outer: string[]; inner: string[] } {
  if (target.level === 'none') return { outer: [], inner: [] }
  return {
    outer: [...become(target), program('nsenter'), '-t', String(target.pid), ...besideFiles, '--'],
    inner: [program('nsenter'), ...inside(target, directory), '--'],
  }
}
