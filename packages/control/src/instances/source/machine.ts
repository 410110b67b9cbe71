import type { Static } from 'typebox'
import { secret } from '../../schema/secret.ts'
import { Type } from '../../schema/type.ts'
import { SealedContent } from '../../sealed/model.ts'

/** Without its title: it is sent as well as answered, and what is sent must have no field that it does not name. */
const Placeholder = Type.Object({
  ...SealedContent.properties,
  template: Type.Optional(
    Type.Boolean({ description: 'It was given as text that refers to something, and is rendered.' }),
  ),
})
/** What stands for user data. */
export type SealedUserData = Static<typeof Placeholder>

const Reference = (description: string) => Type.String({ minLength: 1, maxLength: 255, description })

/** What a virtual machine is made of. References are given by id or name and kept by id. */
export const MachineSource = Type.Object({
  flavor: Reference('A size that the region offers.'),
  image: Reference('What to boot.'),
  network: Type.Optional(Reference('What it is attached to. The region follows from it.')),
  securityGroups: Type.Optional(
    Type.Array(Reference('Of the same network.'), {
      uniqueItems: true,
      maxItems: 64,
      description: 'Who may reach it.',
    }),
  ),
  publicIp: Type.Optional(Type.Boolean()),
  keepAddresses: Type.Optional(
    Type.Boolean({
      description: [
        'Its addresses, private and public, stay its own: when it is stopped, and when it is replaced or made anew.',
        'To be replaced it is stopped first; if its successor does not come up, it is started again with them.',
      ].join(' '),
    }),
  ),
  allowedSourceAddresses: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      uniqueItems: true,
      maxItems: 64,
      description: 'Further addresses it may send from, as CIDR: for routers and the like.',
    }),
  ),
  sshAuthority: Type.Optional(Reference('Whose certificates it lets in.')),
  sshKeys: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 16_384 }), { maxItems: 64 })),
  userData: Type.Optional(
    Type.Union([secret(Type.String({ maxLength: 262_144, writeOnly: true })), Placeholder], {
      description: 'Written as text, or read back as size and hash; sent back as it was read, it is unchanged.',
    }),
  ),
  userDataBase64: Type.Optional(
    secret(
      Type.String({ maxLength: 262_144, writeOnly: true, description: 'In place of userData, where it is not text.' }),
    ),
  ),
  diskGiB: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_048_576 })),
})

/** As it is written: user data in the open. */
export type WrittenMachine = Static<typeof MachineSource>

/** As it is kept: references are ids, and of user data there is only what stands for it. */
export type MachineSource = Omit<WrittenMachine, 'userData' | 'userDataBase64'> & { readonly userData?: SealedUserData }
