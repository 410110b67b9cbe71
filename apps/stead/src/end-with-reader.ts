import { exitCodes } from './exit-codes.ts'

/** Whoever read what is written has seen enough (`stead logs -f … | head`): nothing is wrong, and nobody is left to tell. */
export function endWithReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
  process.exit(exitCodes.ok.code)
}
