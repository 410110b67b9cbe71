import type { View } from '@stead/engine'
import { lookUp } from '../../door/find.ts'
import { Organization } from '../../organizations/model.ts'
import { Project } from '../../projects/model.ts'
import type { Place } from '../caller.ts'
import type { Held } from '../grants/model.ts'
import { builtInRole } from '../roles/built-in.ts'
import { Role } from '../roles/model.ts'
import type { ClaimRule, Claims } from './model.ts'

/** What claims are worth, by the rules of their provider. Worked out with each request and kept nowhere. */
export function heldByClaims(everything: View, rules: readonly ClaimRule[], claims: Claims): readonly Held[] {
  return rules.filter(rule => matches(rule, claims)).flatMap(rule => heldByRule(everything, rule) ?? [])
}

function matches({ claim, value }: ClaimRule, claims: Claims): boolean {
  const found = Object.hasOwn(claims, claim) ? claims[claim] : undefined
  return found === value || (Array.isArray(found) && found.includes(value))
}

/** A rule that speaks of what does not exist, or of a role where it is not given, is worth nothing. */
function heldByRule(everything: View, rule: ClaimRule): Held | undefined {
  const place = placeOfRule(everything, rule)
  if (!place) return undefined
  const builtIn = builtInRole(rule.role)
  if (builtIn) return builtIn.givenOn.includes(place.type) ? { role: rule.role, place } : undefined
  if (place.type === 'platform') return undefined
  const [own] = lookUp(everything.within({ organization: place.organizationId }), Role.kind, rule.role)
  return own && { role: own.id, place }
}

function placeOfRule(everything: View, { organization, project }: ClaimRule): Place | undefined {
  if (organization === undefined) return project === undefined ? { type: 'platform' } : undefined
  const [found] = lookUp(everything, Organization.kind, organization)
  if (!found) return undefined
  const organizationId = found.id
  if (project === undefined) return { type: 'organization', organizationId }
  const [inside] = lookUp(everything.within({ organization: organizationId }), Project.kind, project)
  return inside && { type: 'project', organizationId, projectId: inside.id }
}

/** The claims that rules look at: all that a session keeps of a login. */
export const claimsForRules = (rules: readonly ClaimRule[], claims: Claims): Claims =>
  Object.fromEntries(
    rules.filter(({ claim }) => Object.hasOwn(claims, claim)).map(({ claim }) => [claim, claims[claim]]),
  )
