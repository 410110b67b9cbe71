import { parentPort, workerData } from 'node:worker_threads'
import { type BackupManifest, type BackupRequest, writeBackup } from './backup.ts'

export type BackupAnswer = { readonly manifest: BackupManifest } | { readonly failed: string }

/** Copying a large store takes a while: neither writes nor reads wait for it. */
const answer: BackupAnswer = await writeBackup(workerData as BackupRequest).then(
  manifest => ({ manifest }),
  (error: Error) => ({ failed: error.message }),
)
parentPort!.postMessage(answer)
