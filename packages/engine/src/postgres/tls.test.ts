import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { commandPath, describeWith, PostgresCluster, temporaryDirectory } from '@stead/testing'
import { realWorld, seconds } from '@stead/world'
import { expect, onTestFinished, test } from 'vitest'
import { openPostgresStore } from './open-store.ts'

describeWith('openssl', 'TLS to PostgreSQL', () =>
  describeWith('embedded postgresql', 'with certificates', () => {
    function makeCertificate(directory: string, name: string, host: string) {
      const [key, certificate] = [join(directory, `${name}.key`), join(directory, `${name}.crt`)]
      execFileSync(
        commandPath('openssl', 'openssl'),
        [
          ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
          ...['-keyout', key, '-out', certificate, '-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`],
        ],
        { stdio: 'ignore' },
      )
      return { key, certificate }
    }

    test('the server must prove who it is, as far as the URL asks', async () => {
      const directory = temporaryDirectory()
      const own = makeCertificate(directory, 'own', 'localhost')
      const other = makeCertificate(directory, 'other', 'localhost')
      const cluster = await PostgresCluster.start({
        edition: 'embedded postgresql',
        fsync: false,
        tls: { key: own.key, certificate: own.certificate },
      })
      onTestFinished(() => cluster.stop())
      const named = cluster.url().replace('127.0.0.1', 'localhost')
      const open = async (url: string, query: string) => {
        const store = await openPostgresStore({ url: `${url}?${query}`, world: realWorld, patience: seconds(2) })
        await store.close()
      }
      await open(named, `sslmode=verify-full&sslrootcert=${own.certificate}`)
      await open(cluster.url(), `sslmode=verify-ca&sslrootcert=${own.certificate}`)
      await open(cluster.url(), 'sslmode=require')
      const refused = [
        [named, `sslmode=verify-full&sslrootcert=${other.certificate}`],
        [cluster.url(), `sslmode=verify-full&sslrootcert=${own.certificate}`],
        [named, 'sslmode=verify-full'],
        [named, `sslmode=require&sslrootcert=${other.certificate}`],
      ] as const
      for (const [url, query] of refused)
        await expect(open(url, query)).rejects.toMatchObject({ failure: 'unreachable' })
    })
  }),
)
