export { type ClusterOptions, PostgresCluster, type PostgresEdition } from './cluster.ts'
export { type PgBouncer, startPgBouncer } from './pgbouncer.ts'
export { type Message, PostgresProxy, type Verdict } from './proxy.ts'
