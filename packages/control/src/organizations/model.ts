import type { BaseStatus, StoredObject } from '@stead/engine'
import { resource } from '../resource/resource.ts'
import { Type } from '../schema/type.ts'
import { ShownEndingStatus } from '../teardown/model.ts'

/** A tenant. It is in itself, so that whoever looks inside it finds it too. */
export const Organization = resource('organization', 'org', Type.Object({}), ShownEndingStatus)
export type Organization = StoredObject<object, BaseStatus>

export const organizationName = (name: string): string => `organization-name/${name}`
