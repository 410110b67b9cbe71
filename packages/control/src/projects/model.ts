import type { BaseStatus, StoredObject } from '@stead/engine'
import type { Static } from 'typebox'
import { resource } from '../resource/resource.ts'
import { Type } from '../schema/type.ts'
import { ShownEndingStatus } from '../teardown/model.ts'

export const ProjectSpec = Type.Object({
  defaultRegion: Type.Optional(
    Type.String({ description: 'Which region is meant where none is named; the platform’s default unless said.' }),
  ),
})

/** Where everything that a tenant owns lives. It is in itself, so that whoever looks inside it finds it too. */
export const Project = resource('project', 'prj', ProjectSpec, ShownEndingStatus)
export type Project = StoredObject<Static<typeof ProjectSpec>, BaseStatus>

export const projectName = (organizationId: string, name: string): string => `project-name/${organizationId}/${name}`
