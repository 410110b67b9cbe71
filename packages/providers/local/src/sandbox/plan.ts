import { lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs'
import { join, posix } from 'node:path'

/** One step of building the file system that a service sees. Later ones lie over earlier ones. */
export type MountStep =
  | { readonly step: 'tmpfs'; readonly at: string; readonly bytes: number; readonly mode: number }
  | { readonly step: 'bind'; readonly source: string; readonly at: string; readonly writable: boolean }
  | { readonly step: 'link'; readonly target: string; readonly at: string }

export interface MountPlan {
  /** What is at `/`: nothing, or a directory of the host. */
  readonly root: { readonly source: string; readonly writable: boolean } | undefined
  readonly steps: readonly MountStep[]
}

/** What of the host a service with the image `host` sees, read-only. Everything else is not there. */
const hostTrees = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/opt', '/nix', '/gnu']

const scratchBytes = 256 * 2 ** 20
const scratch = (at: string, mode = 0o1777): MountStep => ({ step: 'tmpfs', at, bytes: scratchBytes, mode })
const shown = (source: string): MountStep => ({ step: 'bind', source, at: source, writable: false })
const linked = (at: string): MountStep => ({ step: 'link', target: readlinkSync(at), at })

const isInside = (path: string, tree: string) => path === tree || path.startsWith(`${tree}/`)

export interface PlannedFile {
  /** Where it is kept for us. */
  readonly source: string
  readonly at: string
}

export interface HostPlanRequest {
  readonly disk: string
  readonly volumes: readonly MountStep[]
  readonly files: readonly PlannedFile[]
  readonly forbidden: readonly string[]
}

/** Where the disk of a service with the image `host` is. It is its home, and where it starts. */
export const hostHome = '/data'

/** The host's programs and settings, read-only, around a disk of its own. */
export function planHost({ disk, volumes, files, forbidden }: HostPlanRequest): MountPlan {
  const trees = hostTrees.flatMap(tree => {
    const found = lstatSync(tree, { throwIfNoEntry: false })
    return found ? [found.isSymbolicLink() ? linked(tree) : shown(tree)] : []
  })
  const visible = trees.flatMap(step => (step.step === 'bind' ? [step.at] : []))
  const { remade, laid } = fileSteps(files, visible)
  return {
    root: undefined,
    steps: [
      ...trees,
      ...remade,
      // After what was made anew, which would uncover them.
      ...masks(forbidden, visible),
      scratch('/tmp'),
      scratch('/run'),
      scratch('/var'),
      { step: 'bind', source: disk, at: hostHome, writable: true },
      ...volumes,
      ...laid,
    ],
  }
}

/** Covers what must stay out of sight where it lies inside something that is shown. */
function masks(forbidden: readonly string[], visible: readonly string[]): MountStep[] {
  return forbidden.flatMap(path => {
    const real = realPath(path)
    if (!real || !visible.some(tree => isInside(real, tree))) return []
    const isDirectory = lstatSync(real).isDirectory()
    return [isDirectory ? scratch(real, 0) : { step: 'bind', source: '/dev/null', at: real, writable: false }]
  })
}

/**
 * A file can be laid over another one, but not over nothing in a directory that is read-only. There the directory is made
 * anew in memory, out of what is in it and the file.
 */
function fileSteps(files: readonly PlannedFile[], visible: readonly string[]) {
  const remade = new Set<string>()
  const laid: MountStep[] = []
  for (const { source, at } of files) {
    const existing = deepestExisting(at)
    const place = posix.join(existing.real, posix.relative(existing.path, at))
    const isShown = visible.some(tree => isInside(existing.real, tree))
    if (isShown && existing.path !== at) remade.add(existing.real)
    laid.push({ step: 'bind', source, at: isShown ? place : at, writable: false })
  }
  return { remade: [...remade].sort().flatMap(remake), laid }
}

function remake(directory: string): MountStep[] {
  const entries = readdirSync(directory, { withFileTypes: true })
  return [
    { step: 'tmpfs', at: directory, bytes: scratchBytes, mode: 0o755 },
    ...entries.flatMap((entry): MountStep[] => {
      const path = join(directory, entry.name)
      if (entry.isSymbolicLink()) return [linked(path)]
      return entry.isDirectory() || entry.isFile() ? [shown(path)] : []
    }),
  ]
}

function deepestExisting(path: string): { path: string; real: string } {
  for (let at = path; ; at = posix.dirname(at)) {
    const real = realPath(at)
    if (real) return { path: at, real }
  }
}

export interface ImagePlanRequest {
  readonly root: string
  readonly readOnly: boolean
  readonly volumes: readonly MountStep[]
  readonly files: readonly PlannedFile[]
}

/** The directories of an image that are empty and in memory. */
export const imageScratch = ['/tmp', '/run']

/** The directories of an image that something else is mounted on. */
export const imageMountPoints = ['/proc', '/dev', ...imageScratch]

/** A root file system of its own. What is laid over a file of it finds one there. */
export const planImage = ({ root, readOnly, volumes, files }: ImagePlanRequest): MountPlan => ({
  root: { source: root, writable: !readOnly },
  steps: [
    ...imageScratch.map(at => scratch(at)),
    ...volumes,
    ...files.map(({ source, at }): MountStep => ({ step: 'bind', source, at, writable: false })),
  ],
})

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
