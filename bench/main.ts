// `npm run bench -- <suite>`: measures, prints, and ends with 1 when a floor is not passed.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { apiSuite } from './api/suite.ts'
import { cliSuite } from './cli/suite.ts'
import { convergeSuite } from './converge/suite.ts'
import { dockerSuite } from './docker/suite.ts'
import { fileSystemOf, isMemoryOnly } from './harness/machine.ts'
import { type Options, readOptions, usage } from './harness/options.ts'
import { asMarkdown, asText } from './harness/print.ts'
import { hasFailed, type Report } from './harness/report.ts'
import { Scratch } from './harness/scratch.ts'
import { localSuite } from './local/suite.ts'
import { storeSuite } from './store/suite.ts'
import { streamsSuite } from './streams/suite.ts'

export type Suite = (options: Options, scratch: Scratch, say: (progress: string) => void) => Promise<Report>

const suites: Readonly<Record<string, Suite>> = {
  api: apiSuite,
  cli: cliSuite,
  converge: convergeSuite,
  docker: dockerSuite,
  local: localSuite,
  store: storeSuite,
  streams: streamsSuite,
}

function refuse(why: string): never {
  console.error(`${why}\n\n${usage}`)
  process.exit(2)
}

/** On a terminal one line that changes, so that the report stands alone. */
const showProgress = (progress: string) =>
  process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${progress}` : `${progress}\n`)

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

async function run(options: Options): Promise<number> {
  const suite = suites[options.suite] ?? refuse(`there is no suite ${options.suite}`)
  const scratch = new Scratch(options.directory)
  if (isMemoryOnly(fileSystemOf(scratch.directory)))
    refuse(`${options.directory} is in memory, where nothing is durable: give a --directory on a disk`)
  const report = await suite(options, scratch, showProgress)
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
  console.log(asText(report))
  if (options.json) write(options.json, `${JSON.stringify(report, null, 2)}\n`)
  if (options.markdown) write(options.markdown, asMarkdown(report))
  return hasFailed(report) ? 1 : 0
}

// So that what cleans up at exit also runs when a run is broken off.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

let options: Options | undefined
try {
  options = readOptions(process.argv.slice(2))
} catch (error) {
  refuse((error as Error).message)
}
if (options) process.exitCode = await run(options)
else console.log(usage)
