import { mkdirSync } from 'node:fs'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { buildProgram } from '../cli.ts'
import { wordsOf } from '../tests/command-line.ts'
import { Desk } from '../tests/desk.ts'
import { examplesOf } from './define.ts'

/** Every command that does something. */
const leaves = (command: Command): readonly Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leaves)

const examples = leaves(buildProgram()).flatMap(command => examplesOf(command))

/** What each example answers, in an order in which they make sense. A pattern that begins with a number is an exit code. */
const story: readonly (readonly [example: string, answer: RegExp])[] = [
  ["stead run web --port http -- python3 -m http.server '$(PORT_HTTP)'", /^web is running\n {2}http:/],
  ['stead run worker --env QUEUE=mail --cpu 500 --memory 256 -- sleep 1000', /^worker is running/],
  ['stead ps', /^NAME[\s\S]*web .*running[\s\S]*worker/],
  ['stead ps --labels tier=web --phase running -o wide', /^$/],
  ['stead wait web', /^web is running/],
  ['stead get regions', /simulated .*active/],
  ['stead get instance web -o yaml', /^kind: instance\nmetadata:/],
  ['stead get networks --labels env=test -o json', /^\[\]\n$/],
  ['stead regions', /simulated/],
  ['stead regions -o wide', /CAPABILITIES/],
  ['stead events web', /Created/],
  ['stead events instance/web --since 1h', /Running/],
  ['stead quota', /instances +3 /],
  ['stead quota --json', /"kind": "instances"/],
  ['stead scale web --cpu 500 --memory 256', /^web is running/],
  ['stead restart web', /^web is running/],
  ['stead restart web --service web --hard', /^web is running/],
  ['stead stop web', /^web is stopped/],
  ['stead wait web --phase stopped --timeout 30s', /^web is stopped/],
  ['stead start web', /^web is running/],
  ['stead suspend web --reason "unpaid since May"', /^web is stopped/],
  ['stead unsuspend web', /^web is running/],
  ['stead logs web', /web started/],
  ['stead logs web --tail 20 --timestamps', /^\d{4}-\d\d-\d\dT.* web started\n/],
  ['stead exec web -- echo hello', /^hello\n$/],
  ['stead top', /^NAME +CPU +MEMORY/],
  ['stead top web --json', /"name": "web"/],
  ['stead console vm --output', /./],
  ['stead snapshot vm monday', /^image monday is made of vm/],
  ['stead delete web --yes', /^web is gone/],
  ['stead plan -f shop.yaml', /^\+ ssh-authority ca\n1 to create/],
  ['stead apply -f shop.yaml', /^\+ ssh-authority ca/],
  ['stead plan -f shop.yaml --prune', /0 to delete, 1 as they should be/],
  ['stead apply -f shop.yaml --prune --yes', /0 to delete, 1 as they should be/],
  ['stead delete ssh-authority/ca --yes', /^ca is being deleted/],
  ['stead create organization acme', /^organization acme is made: org_/],
  ['stead create project shop --organization acme', /^project shop is made: prj_/],
  ['stead whoami', /^admin \(service-account/],
  ['stead tokens', /^ID/],
  ['stead create service-account ci', /^service-account ci is made: sa_/],
  ['stead tokens create --account ci --expires-in 24h', /^stead_\S+\n$/],
  ['stead login http://127.0.0.1:7400 --token-file token.txt --name work --project default/default', /^Logged in to/],
  ['stead contexts', /\* work/],
  ['stead contexts use work', /^work is used/],
  ['stead contexts remove work', /^work is forgotten/],
  ['stead completion bash > /etc/bash_completion.d/stead', /complete -o default -F _stead stead/],
  ["stead completion zsh > '/usr/local/share/zsh/site-functions/_stead'", /^#compdef stead/],
  ['stead completion fish > ~/.config/fish/completions/stead.fish', /^# fish completion/],
  ['stead doctor', /^local: /],
  ['stead doctor --json', /^\{"local"/],
  ['stead version', /^stead \d/],
  ['stead backup /var/backups/stead-monday', /^Backed up revision/],
  ['stead restore /var/backups/stead-monday --data /var/lib/stead-restored', /as epoch 2/],
  ['stead admin reset-token', /stead_/],
]

/** What never ends by itself, asks for what a test cannot type in a pipe, or needs what only a restored store is. */
const elsewhere: Readonly<Record<string, string>> = {
  'stead serve': 'serve.test.ts',
  'stead serve --listen 127.0.0.1:8000 --data /var/lib/stead': 'serve.test.ts',
  'stead resume': 'commands/backup.test.ts',
  'stead login https://stead.example.com': 'cli/login.test.ts',
  'stead logs web -f': 'cli/streams.test.ts',
  'stead exec -it web -- sh': 'cli/streams.test.ts',
  'stead console vm': 'cli/streams.test.ts',
  'stead events web -f': 'cli/interrupted.test.ts',
  'stead ssh vm': 'cli/ssh.test.ts',
  'stead ssh vm --user debian -- uname -a': 'cli/ssh.test.ts',
  'stead watch': 'cli/interrupted.test.ts',
  'stead watch instance operation --json': 'cli/interrupted.test.ts',
  'stead tokens revoke <id> --account ci': 'cli/login.test.ts',
}

test('every command has examples, and every example is run by a test', () => {
  for (const command of leaves(buildProgram())) expect(examplesOf(command), command.name()).not.toEqual([])
  expect([...story.map(([example]) => example), ...Object.keys(elsewhere)].sort()).toEqual(
    [...new Set(examples)].sort(),
  )
})

test('the examples do what they say', async () => {
  const desk = await Desk.withStead()
  const { stead, directory } = desk
  mkdirSync(`${directory}/backups`)
  desk.write('token.txt', stead!.token)
  const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl'
  desk.write('shop.yaml', `kind: ssh-authority\nmetadata: { name: ca }\nspec: { publicKey: ${key} }\n`)
  await desk.run('create', 'network', 'n1', '--spec', '{region: simulated, cidr: 10.20.0.0/24}')
  const machine = ['run', 'vm', '--flavor', 'small', '--image', 'minimal', '--network', 'n1']
  expect(await desk.run(...machine)).toMatchObject({ code: 0 })
  for (const [example, answer] of story) {
    const here = example.replaceAll('/var/', `${directory}/`).replace('http://127.0.0.1:7400', stead!.url)
    const { code, stdout, stderr } = await desk.run(...wordsOf(here.replace(/ > .*/, '')).slice(1))
    expect({ code, stdout }, `${example}\n${stderr}`).toEqual({ code: 0, stdout: expect.stringMatching(answer) })
  }
}, 300_000)
