import type { ConsoleOptions, ExecRequest } from '@stead/provider-kit'
import type { Static } from 'typebox'
import { secret } from '../../schema/secret.ts'
import { Type } from '../../schema/type.ts'
import { mostCells } from './frames.ts'

const Cells = (description: string) => Type.Optional(Type.Integer({ minimum: 1, maximum: mostCells, description }))

export const ExecBody = Type.Object(
  {
    service: Type.Optional(Type.String({ maxLength: 255, description: 'Where; in the main one unless said.' })),
    command: Type.Array(Type.String({ maxLength: 65_536 }), {
      minItems: 1,
      maxItems: 1_024,
      description: 'The program and its arguments. No shell is between.',
    }),
    tty: Type.Optional(Type.Boolean({ description: 'With a terminal; everything it prints is then stdout.' })),
    columns: Cells('Of the terminal; 80 unless said.'),
    rows: Cells('Of the terminal; 24 unless said.'),
    env: Type.Optional(
      secret(
        Type.Record(Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$' }), Type.String({ maxLength: 32_768 }), {
          maxProperties: 512,
          description: 'Besides what the service has. Kept sealed until it is opened.',
        }),
      ),
    ),
    user: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    directory: Type.Optional(Type.String({ pattern: '^/', maxLength: 4_096 })),
    stdin: Type.Optional(
      Type.Boolean({ description: 'False: the command sees the end of its input at once. True unless said.' }),
    ),
  },
  { title: 'Exec' },
)
export type ExecBody = Static<typeof ExecBody>

export const ConsoleBody = Type.Object(
  {
    scrollbackBytes: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1_048_576,
        description: 'How much of what was printed before to begin with.',
      }),
    ),
  },
  { title: 'Console' },
)
export type ConsoleBody = Static<typeof ConsoleBody>

/** In the words of providers. */
export function execRequest({ service, command, tty, columns = 80, rows = 24, env, user, directory }: ExecBody) {
  const request: ExecRequest = {
    command,
    ...(service !== undefined && { service }),
    ...(tty && { tty: { columns, rows } }),
    ...(env && { env }),
    ...(user !== undefined && { user }),
    ...(directory !== undefined && { directory }),
  }
  return request
}

export const consoleOptions = ({ scrollbackBytes }: ConsoleBody, signal: AbortSignal): ConsoleOptions => ({
  signal,
  ...(scrollbackBytes !== undefined && { scrollbackBytes }),
})
