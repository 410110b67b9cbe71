import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { ProposedToken, TokenKeeper } from '@stead/control'

/** Where the operator finds the admin's token: `admin.token` in the data directory, readable by its owner alone. */
export class AdminTokenFile implements TokenKeeper {
  readonly path: string
  readonly #proposal: string
  readonly #directory: string

  constructor(data: string) {
    this.path = join(data, 'admin.token')
    this.#proposal = join(data, 'admin.token.proposed')
    this.#directory = data
  }

  propose({ token, startId }: ProposedToken): void {
    this.#write(this.#proposal, `${token}\n${startId}\n`)
  }

  proposed(): ProposedToken | undefined {
    try {
      const [token, startId] = readFileSync(this.#proposal, 'utf8').split('\n')
      return token && startId ? { token, startId } : undefined
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  confirm(token: string): void {
    this.write(token)
    this.withdraw()
  }

  withdraw(): void {
    rmSync(this.#proposal, { force: true })
  }

  /** Replaces the token as a whole: whoever reads the file meanwhile gets the old one or the new. */
  write(token: string): void {
    const temporary = `${this.path}.new`
    this.#write(temporary, `${token}\n`)
    renameSync(temporary, this.path)
    const directory = openSync(this.#directory, 'r')
    fsyncSync(directory)
    closeSync(directory)
  }

  #write(path: string, text: string): void {
    // Made anew, so that its mode is ours whatever lay there before.
    rmSync(path, { force: true })
    const file = openSync(path, 'wx', 0o600)
    writeSync(file, text)
    fsyncSync(file)
    closeSync(file)
  }
}
