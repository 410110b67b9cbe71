import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Debian keeps some of these in sbin, which is not on everyone's PATH. */
const alsoIn = ['/usr/sbin', '/sbin']

/** The full path of a program; undefined when it is not on this machine. */
export function findProgram(name: string): string | undefined {
  const places = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...alsoIn]
  for (const place of places) {
    const path = join(place, name)
    if (isExecutable(path)) return path
  }
  return undefined
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Programs that must be there, with the package that brings them in Debian and its relatives. */
const packages = {
  bwrap: 'bubblewrap',
  chmod: 'coreutils',
  chown: 'coreutils',
  cp: 'coreutils',
  env: 'coreutils',
  flock: 'util-linux',
  mkfifo: 'coreutils',
  mount: 'mount',
  nsenter: 'util-linux',
  script: 'bsdutils',
  setpriv: 'util-linux',
  sh: 'dash',
  stty: 'coreutils',
  tar: 'tar',
  unshare: 'util-linux',
} as const

export type ProgramName = keyof typeof packages

export const packageOf = (name: ProgramName): string => packages[name]

const found = new Map<ProgramName, string>()

/** The full path of a program that was found when the machine was examined. Looked for once: it takes longer than to use it. */
export function program(name: ProgramName): string {
  const path = found.get(name) ?? findProgram(name)
  if (!path) throw new Error(`${name} is gone from this machine; it comes with the package ${packages[name]}`)
  found.set(name, path)
  return path
}
