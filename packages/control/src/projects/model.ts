import type { BaseStatus, StoredObject } from '@stead/engine'
import Type from 'typebox'
import { resource } from '../resource/resource.ts'
import { ShownEndingStatus } from '../teardown/model.ts'

/** Where everything that a tenant owns lives. It is in itself, so that whoever looks inside it finds it too. */
export const Project = resource('project', 'prj', Type.Object({}), ShownEndingStatus)
export type Project = StoredObject<object, BaseStatus>

export const projectName = (organizationId: string, name: string): string => `project-name/${organizationId}/${name}`
