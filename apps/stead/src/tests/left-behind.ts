import { globSync, readdirSync, readFileSync } from 'node:fs'

type ProcessFile = 'environ' | 'cmdline' | 'comm' | 'cgroup' | 'mountinfo'

/** Empty for one that has ended. */
export function readProcess(pid: number, file: ProcessFile): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

/** All that say this in one of these files of theirs. */
export function processesWith(text: string, ...files: readonly ProcessFile[]): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return pids.filter(pid => files.some(file => readProcess(pid, file).includes(text)))
}

/** For who has to find out what was left. */
export const describeProcess = (pid: number): string =>
  `process ${pid}: ${readProcess(pid, 'cmdline').replaceAll('\0', ' ').slice(0, 300)}`

/** The control groups of the services of an instance, by what its region calls it, wherever the machine lets us make them. */
export const groupsOf = (instance: string): string[] => globSync(`/sys/fs/cgroup/**/${instance}.*/`)
