import type { LaunchSpec, MachineLaunch, ServiceFile, ServiceLaunch } from '@stead/provider-kit'
import { type Request, type Route, route } from '../../door/route.ts'
import { PatchBody } from '../../resource/bodies.ts'
import { secret } from '../../schema/secret.ts'
import { Type } from '../../schema/type.ts'
import { Instance } from '../model.ts'
import { prepareChange } from './change.ts'
import { example } from './create.ts'
import { prepareCreate } from './prepare-create.ts'
import { collection, type InstanceRoutes, one, theInstance } from './room.ts'

const masked = '[secret]'
const mask = () => masked

const Shown = Type.Record(Type.String(), Type.Unknown())
const Preview = Type.Object(
  {
    name: Type.String(),
    power: Type.Enum(['on', 'off']),
    machine: Type.Optional(
      Type.Object(
        // Whoever may read it is shown it: so this answer is not kept in the open.
        { userData: Type.Optional(secret(Type.String())) },
        { additionalProperties: true, description: 'What is launched, where that is a machine.' },
      ),
    ),
    services: Type.Optional(Type.Record(Type.String(), Shown, { description: 'What is launched, by service.' })),
  },
  { title: 'Preview', description: `With ${masked} in place of everything secret.` },
)

const about = {
  scope: 'project',
  permission: 'instances:read',
  replies: { 200: Preview },
  refuses: ['unsupported'],
} as const

/** What would be launched, told before it is. */
export const previewRoutes: InstanceRoutes = (room): readonly Route[] => [
  route({
    ...about,
    method: 'POST',
    path: `${collection}/preview`,
    summary: 'Say what would be launched for a new instance, with secrets masked',
    description: 'Everything is checked as when it is created, and nothing is made. Its id is not known yet.',
    body: Instance.write,
    examples: { body: example },
    async handle(request, services) {
      const { values } = await prepareCreate(room, request, services, { id: '[id]' })
      return { status: 200, body: present(values.masked(mask), mayRead(request)) }
    },
  }),
  route({
    ...about,
    method: 'POST',
    path: `${one}/preview`,
    summary: 'Say what would be launched for an instance after a change, with secrets masked',
    target: theInstance,
    body: PatchBody,
    examples: { body: { spec: { power: 'off' } } },
    async handle(request, services) {
      const { values } = await prepareChange(room, request, services, { whole: true })
      return { status: 200, body: present(values!.masked(mask), mayRead(request)) }
    },
  }),
]

/** User data may be full of what is secret for its writers: who may not read it is not shown it here either. */
const mayRead = ({ caller, place }: Pick<Request, 'caller' | 'place'>): boolean =>
  caller.may('instances:credentials', place)

function present({ name, power, source }: LaunchSpec, showsUserData: boolean) {
  if (source.type === 'machine') return { name, power, machine: machineShown(source, showsUserData) }
  if (source.type !== 'services') throw new Error(`a ${source.type} source was let in`)
  const services = Object.entries(source.services).map(([service, launch]) => [service, serviceShown(launch)])
  return { name, power, services: Object.fromEntries(services) }
}

const machineShown = ({ type: _, userData, ...machine }: MachineLaunch, showsUserData: boolean) => ({
  ...machine,
  ...(userData && { userData: showsUserData ? Buffer.from(userData).toString() : masked }),
})

const serviceShown = ({ files, ...service }: ServiceLaunch) => ({ ...service, files: files.map(fileShown) })

const fileShown = ({ content, mode, ...file }: ServiceFile) => ({
  ...file,
  mode: `0${(mode ?? (file.secret ? 0o400 : 0o444)).toString(8)}`,
  content: Buffer.from(content).toString(),
})
