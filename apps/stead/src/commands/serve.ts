import { flushCompileCache } from 'node:module'
import { logRedaction } from '@stead/control/log-redaction'
import { realWorld, seconds } from '@stead/world'
import pino from 'pino'
import { type Flags, loadConfiguration } from '../configuration/index.ts'
import { endWithReader } from '../end-with-reader.ts'
import { giveBackWhenQuiet } from '../give-back-memory.ts'
import { logForPeople } from '../log-for-people.ts'
import { serve } from '../serve.ts'
import { onStopSignal } from '../stop-signals.ts'
import { readVersion } from '../version.ts'

/** Those who waited for the start are answered by then. */
const warmAfter = seconds(1)

/** `stead serve`: runs until it is told to stop. */
export async function serveCommand(flags: Flags): Promise<void> {
  const world = realWorld
  const configuration = await loadConfiguration({ flags, env: process.env, directory: process.cwd() })
  const version = readVersion(process.env)
  const log = pino(
    {
      ...{ level: configuration.logLevel, base: null, redact: logRedaction },
      serializers: { error: pino.stdSerializers.err },
    },
    process.stderr.isTTY ? logForPeople(process.stderr, process.env) : pino.destination(2),
  )

  // Whoever read where it listens need not stay.
  process.stdout.off('error', endWithReader)
  // Listened for before anything is opened, so that a stop during the start closes what was opened.
  const stopAsked = new Promise<string>(resolve => onStopSignal(world, resolve))
  const serving = await serve({ configuration, version, world, log })
  log.info({ ...version, data: configuration.data }, 'serving')
  console.log(`Stead ${version.version} is listening on ${serving.url}`)
  console.log(`Its data is in ${configuration.data}`)
  if (serving.firstToken)
    console.log(`The admin token, shown this once and kept in ${serving.firstToken.path}: ${serving.firstToken.token}`)
  console.log('Ctrl-C stops it')
  const warming = world.setTimer(warmAfter, () => {
    serving.warmUp()
    // Node would keep what it compiled when it ends, and never if it is killed: then each start would compile it anew.
    flushCompileCache()
  })
  const memory = giveBackWhenQuiet(world)

  const ending = await Promise.race([stopAsked, serving.failed])
  warming.cancel()
  memory.stop()
  if (ending instanceof Error) log.fatal({ error: ending }, 'stopping: it cannot go on')
  else log.info({ signal: ending }, 'stopping')
  await serving.stop()
  log.info('stopped')
  if (ending instanceof Error) throw ending
}
