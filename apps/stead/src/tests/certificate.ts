import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandPath, temporaryDirectory } from '@stead/testing'

/** A certificate for localhost, signed by itself, that lives as long as the test. Needs the backend `openssl`. */
export function makeCertificate(): { certFile: string; keyFile: string; cert: Buffer } {
  const directory = temporaryDirectory()
  const [certFile, keyFile] = [join(directory, 'cert.pem'), join(directory, 'key.pem')]
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const args = ['req', ...kind, ...subject, '-keyout', keyFile, '-out', certFile]
  execFileSync(commandPath('openssl', 'openssl'), args, { stdio: 'ignore' })
  return { certFile, keyFile, cert: readFileSync(certFile) }
}
