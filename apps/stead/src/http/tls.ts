import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { flagOf, type SettingName } from '../configuration/index.ts'
import { StartError } from '../exit-codes.ts'

/** Reads certificate and key, and finds out now, and not at the first connection, whether they go together. */
export function readTls(files: { readonly certFile: string; readonly keyFile: string }): { cert: Buffer; key: Buffer } {
  const tls = { cert: read('tlsCert', files.certFile), key: read('tlsKey', files.keyFile) }
  try {
    createSecureContext(tls)
  } catch (error) {
    const names = `${flagOf('tlsCert')} (${files.certFile}) and ${flagOf('tlsKey')} (${files.keyFile})`
    throw new StartError('usage', `${names} are no certificate with its key: ${(error as Error).message}`, {
      cause: error,
    })
  }
  return tls
}

function read(name: SettingName, file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new StartError('usage', `${flagOf(name)} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}
