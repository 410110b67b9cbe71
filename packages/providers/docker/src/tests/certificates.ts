import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Certificate {
  readonly cert: string
  readonly key: string
  /** Where they are, for a program that wants files. */
  readonly files: { readonly cert: string; readonly key: string }
}

const days = ['-days', '2']

/** Somebody who signs, with what it has signed, in a directory of its own. */
export class Authority {
  readonly #directory: string
  readonly #own: Certificate

  constructor(directory: string) {
    mkdirSync(directory, { recursive: true })
    this.#directory = directory
    this.#own = this.#at('ca')
    openssl(
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      ...days,
      ...[...['-subj', '/CN=authority of a test', '-keyout', this.#own.files.key, '-out', this.#own.files.cert]],
    )
  }

  get ca(): string {
    return this.#own.cert
  }

  get caFile(): string {
    return this.#own.files.cert
  }

  sign(name: string, use: 'serverAuth' | 'clientAuth'): Certificate {
    const signed = this.#at(name)
    const [request, extensions] = [join(this.#directory, `${name}.csr`), join(this.#directory, `${name}.ext`)]
    writeFileSync(extensions, `subjectAltName=IP:127.0.0.1\nextendedKeyUsage=${use}\n`)
    openssl(
      ...['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj', `/CN=${name}`],
      ...['-keyout', signed.files.key, '-out', request],
    )
    openssl(
      ...['x509', '-req', '-in', request, '-extfile', extensions, '-CA', this.#own.files.cert],
      ...['-CAkey', this.#own.files.key, '-CAcreateserial', ...days, '-out', signed.files.cert],
    )
    return signed
  }

  #at(name: string): Certificate {
    const files = { cert: join(this.#directory, `${name}.pem`), key: join(this.#directory, `${name}.key`) }
    return {
      files,
      get cert() {
        return readFileSync(files.cert, 'utf8')
      },
      get key() {
        return readFileSync(files.key, 'utf8')
      },
    }
  }
}

const openssl = (...words: readonly string[]) => execFileSync('openssl', words, { stdio: ['ignore', 'ignore', 'pipe'] })
