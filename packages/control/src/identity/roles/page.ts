import { permissions } from '../permissions.ts'
import { builtInRoles } from './built-in.ts'

/** docs/roles.md: each built-in role, what it is for, and which permissions it has. `npm run docs` writes it, a test keeps it current. */
export function rolesPage(): string {
  const purposes = builtInRoles.map(
    ({ name, purpose, givenOn }) => `| \`${name}\` | ${purpose} | ${givenOn.join(', ')} |`,
  )
  const names = builtInRoles.map(({ name }) => name)
  const rows = permissions.map(permission => {
    const held = builtInRoles.map(role => (role.permissions.has(permission) ? 'x' : ''))
    return `| \`${permission}\` | ${held.join(' | ')} |`
  })
  return `# Roles

<!-- Generated from packages/control/src/identity/roles/built-in.ts by \`npm run docs\`. Do not edit. -->

What each built-in role is for, and on what it is given. A role given on the platform holds in every organization, one
given on an organization in each of its projects. [Identity](identity.md) says how roles are given and made.

| role | what it is for | given on |
|---|---|---|
${purposes.join('\n')}

## Permissions

| permission | ${names.join(' | ')} |
|---|${names.map(() => '---|').join('')}
${rows.join('\n')}
`
}
