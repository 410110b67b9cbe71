import type { PatchValue } from '../resource/bodies.ts'
import type { Around } from '../resource/project-routes.ts'
import { Type } from '../schema/type.ts'
import { resolveRegion } from './visibility.ts'

/** How something in a region says which. */
export const RegionField = Type.String({
  ...{ minLength: 1, maxLength: 255 },
  description: 'By id or by name, and read back as the id; unless said, the default of the project.',
})

/** For nouns whose things are in regions: lists can be asked for one region, and patches may name it as creates do. */
export const inRegions = ({ name }: { readonly name: string }) => ({
  filters: { region: Type.Optional(Type.String({ description: 'Only those in this region, by id or by name.' })) },
  only: ({ region }: { readonly region?: string | undefined }, { everything, place }: Around) =>
    region === undefined ? undefined : { index: { name, key: resolveRegion(everything, place, region).id } },
  resolve(body: PatchValue, { everything, place }: Around): PatchValue {
    const region = body.spec?.region
    if (typeof region !== 'string') return body
    return { ...body, spec: { ...body.spec, region: resolveRegion(everything, place, region).id } }
  },
})
