import { type Duration, seconds } from '@stead/world'
import type { Act } from '../cli/define.ts'
import { goingOn, type Session } from '../client/session.ts'
import { duration, pairs } from '../client/values.ts'
import { StartError } from '../exit-codes.ts'

interface SnapshotFlags {
  readonly label?: readonly string[]
  readonly timeout?: string
  readonly wait: boolean
}

/** `stead snapshot <name> <image>`. */
export const snapshot: Act<SnapshotFlags> = async (session, { args, flags }) => {
  const [name = '', image = ''] = args
  const { project, out } = session
  const timeout = duration('--timeout', flags.timeout)
  const accepted = await project.instances.snapshot(name, { name: image, labels: pairs('--label', flags.label) })
  if (!flags.wait) return out.result(`image ${image} is being made of ${name}`, accepted)
  const whatGoesOn = `image ${image} is still being made on the server; \`stead get image ${image}\` shows it`
  const operation = await goingOn(session, whatGoesOn, () => ended(session, accepted.operation.id, timeout))
  if (operation.state !== 'succeeded')
    throw new StartError(
      'failed',
      `the snapshot ${operation.state}: ${operation.error?.message ?? 'no reason was given'}`,
    )
  out.result(`image ${image} is made of ${name}`, accepted)
}

/** The operation once it has ended, however it did. */
async function ended({ project, world, signal }: Session, id: string, timeout: Duration) {
  const until = world.monotonic() + timeout
  for (;;) {
    const operation = await project.operation(id)
    if (!['pending', 'running'].includes(operation.state)) return operation
    if (world.monotonic() > until) throw new StartError('timeout', `operation ${id} is ${operation.state}`)
    await world.sleep(seconds(1), signal)
  }
}
