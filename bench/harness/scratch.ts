import type { ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** What a run leaves outside its own memory, directories and processes: all of it gone when the run ends, however it ends. */
export class Scratch {
  readonly directory: string
  readonly #processes = new Set<ChildProcess>()
  /** The topmost directory that was not there before. */
  readonly #made: string | undefined

  constructor(parent: string) {
    this.#made = mkdirSync(parent, { recursive: true })
    this.directory = mkdtempSync(join(parent, 'run-'))
    process.once('exit', () => this.#clear())
  }

  newDirectory(name: string): string {
    return mkdtempSync(join(this.directory, `${name}-`))
  }

  /** Makes sure that a process does not outlive the run. */
  adopt<T extends ChildProcess>(child: T): T {
    this.#processes.add(child)
    child.once('exit', () => this.#processes.delete(child))
    return child
  }

  #clear(): void {
    for (const child of this.#processes) child.kill('SIGKILL')
    rmSync(this.#made ?? this.directory, { recursive: true, force: true })
  }
}
