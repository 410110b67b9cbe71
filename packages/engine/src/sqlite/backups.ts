import { UnavailableError } from '../words/errors.ts'
import type { BackupManifest, BackupRequest } from './backup.ts'
import type { BackupAnswer } from './backup-thread.ts'
import { Thread } from './thread.ts'

/** The backups being written now, each on its thread. */
export class Backups {
  private readonly running = new Map<Thread<never, BackupAnswer>, (error: Error) => void>()

  async write(request: BackupRequest): Promise<BackupManifest> {
    const done = Promise.withResolvers<BackupAnswer>()
    const thread = new Thread<never, BackupAnswer>({
      file: './backup-thread.ts',
      data: request,
      onMessage: done.resolve,
      onDeath: done.reject,
    })
    this.running.set(thread, done.reject)
    try {
      const answer = await done.promise
      if ('manifest' in answer) return answer.manifest
      throw new UnavailableError(`the backup was not written: ${answer.failed}`)
    } finally {
      this.running.delete(thread)
      await thread.kill()
    }
  }

  /** A store does not wait for its backups: what is half written is removed by the next one to that name. */
  async stop(): Promise<void> {
    const running = [...this.running]
    await Promise.all(running.map(([thread]) => thread.kill()))
    for (const [, reject] of running) reject(new UnavailableError('the store was closed before the backup was whole'))
  }
}
