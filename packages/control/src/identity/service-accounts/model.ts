import type { BaseStatus, StoredObject } from '@stead/engine'
import type { Static } from 'typebox'
import { resource } from '../../resource/resource.ts'
import { Type } from '../../schema/type.ts'
import { ShownEndingStatus } from '../../teardown/model.ts'

const ServiceAccountSpec = Type.Object({
  disabled: Type.Optional(Type.Boolean({ description: 'Its tokens are refused while this is true.' })),
})

/** A program that acts, by its tokens. */
export const ServiceAccount = resource('service-account', 'sa', ServiceAccountSpec, ShownEndingStatus)
export type ServiceAccount = StoredObject<Static<typeof ServiceAccountSpec>, BaseStatus>

/** Without an organization it is one of the platform's own. */
export const serviceAccountName = (organizationId: string | undefined, name: string): string =>
  `service-account-name/${organizationId ?? 'platform'}/${name}`
