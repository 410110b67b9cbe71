import { parseArgs } from 'node:util'

export interface Options {
  readonly suite: string
  readonly quick: boolean
  /** The store on PostgreSQL, not on SQLite. */
  readonly postgres: boolean
  readonly json: string | undefined
  readonly markdown: string | undefined
  readonly directory: string
}

export const usage = `Usage: npm run bench -- <suite> [options]

Suites
  api     requests, creates, start and memory of \`stead serve\`, beside a bare Fastify route
  cli     how long \`stead --help\` and \`stead ps\` take, beside Node that does nothing
  converge   100 to 100,000 instances from nothing to running and back on a simulated cloud, settled, and restarted
  docker  from launch to running and to the first command inside, beside the docker command by hand
  local   from launch to running for 1 and 100 local instances, beside bubblewrap by hand
  store   durable commits, watch latency, restart and memory of the store, beside raw SQLite and etcd
  store --postgres   the same on PostgreSQL, with one node and with three, beside raw SQL; and how fast others take over
                     from a node that is killed
  streams   500 followers of logs and 50 terminals on local instances: latency, memory, and what the API feels of it

Options
  --quick           fewer and shorter rounds: a first impression, not a result
  --directory DIR   where files are written, on the disk to be measured (default .bench)
  --json FILE       every sample of every round, as JSON
  --markdown FILE   the printed report, as a page
  --help            this text

Ends with 1 when a floor is not passed.`

/** What the command line asks for; undefined for help. Throws, with what is wrong, for anything else. */
export function readOptions(argv: readonly string[]): Options | undefined {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      postgres: { type: 'boolean', default: false },
      directory: { type: 'string', default: '.bench' },
      json: { type: 'string' },
      markdown: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help || positionals.length === 0) return undefined
  const [suite, ...more] = positionals
  if (more.length > 0) throw new Error(`one suite at a time: ${positionals.join(', ')}`)
  return {
    suite: suite!,
    quick: values.quick,
    postgres: values.postgres,
    directory: values.directory,
    json: values.json,
    markdown: values.markdown,
  }
}
