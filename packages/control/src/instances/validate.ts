import { isIP } from 'node:net'
import { parseDuration } from '@stead/world'
import type { FieldError } from '../errors/problem.ts'
import { pointerTo } from '../schema/pointer.ts'
import type { WrittenSpec } from './model.ts'
import type { WrittenMachine } from './source/machine.ts'
import { validateServices } from './source/validate-services.ts'
import { validateVariables } from './values/validate-variables.ts'

/** Everything in a spec that is well formed and does not fit together, with every field that is part of it. */
export function validate(spec: WrittenSpec): readonly FieldError[] {
  return [...validateSource(spec.source), ...validateVariables(spec), ...validatePolicies(spec)]
}

function validateSource({ machine, services }: WrittenSpec['source']): readonly FieldError[] {
  if ((machine === undefined) === (services === undefined))
    return [{ path: '/spec/source', message: 'must be exactly one of machine, services' }]
  return machine ? validateMachine(machine) : validateServices(services!)
}

const errorAt = (path: string, message: string): FieldError => ({ path, message })

function validateMachine(machine: WrittenMachine): readonly FieldError[] {
  const path = '/spec/source/machine'
  const { userData, userDataBase64, network, securityGroups = [], allowedSourceAddresses = [], sshKeys = [] } = machine
  const at = (field: string, index: number) => pointerTo(`${path}/${field}`, String(index))
  return [
    ...(userData !== undefined && userDataBase64 !== undefined
      ? ['userData', 'userDataBase64'].map(field => errorAt(`${path}/${field}`, 'is given in two ways'))
      : []),
    ...(securityGroups.length > 0 && network === undefined
      ? [errorAt(`${path}/securityGroups`, 'need a network: they belong to one')]
      : []),
    ...allowedSourceAddresses.flatMap((cidr, index) =>
      isCidr(cidr) ? [] : [errorAt(at('allowedSourceAddresses', index), 'must be a CIDR like 10.0.0.0/24')],
    ),
    ...sshKeys.flatMap((key, index) =>
      isSshKey(key) ? [] : [errorAt(at('sshKeys', index), 'must be a public key like ssh-ed25519 AAAA…')],
    ),
  ]
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/')
  const width = { 4: 32, 6: 128 }[isIP(address)]
  return rest.length === 0 && width !== undefined && /^\d{1,3}$/.test(bits) && Number(bits) <= width
}

/** One line: a type and a blob that names the same type, and perhaps a comment. */
function isSshKey(text: string): boolean {
  const [, type, blob] = /^([a-z0-9@.-]{1,64}) ([A-Za-z0-9+/]{16,}={0,2})( [^\r\n]*)?$/.exec(text.trim()) ?? []
  if (type === undefined || blob === undefined) return false
  const bytes = Buffer.from(blob, 'base64')
  const length = bytes.length >= 4 ? bytes.readUInt32BE(0) : 0
  return bytes.toString('latin1', 4, 4 + length) === type
}

function validatePolicies({ ttl, idleStop, deletionProtection }: WrittenSpec): readonly FieldError[] {
  const spans = Object.entries({ ttl, idleStop }).flatMap(([field, text]) =>
    text === undefined || (parseDuration(text) ?? 0) > 0
      ? []
      : [errorAt(`/spec/${field}`, 'must be a duration like 2h, longer than nothing')],
  )
  if (ttl === undefined || !deletionProtection) return spans
  return [
    ...spans,
    errorAt('/spec/ttl', 'contradicts deletionProtection: it would never be deleted by itself'),
    errorAt('/spec/deletionProtection', 'contradicts ttl: it would be deleted by itself'),
  ]
}
