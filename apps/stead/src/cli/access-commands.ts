import type { Command } from 'commander'
import type { LoginFlags } from '../commands/login.ts'
import { define, showExamples } from './define.ts'

/** Logins, tokens, and the help of shells. */
export function addAccessCommands(program: Command): void {
  const login = program.command('login [url]').description('keep a token for a Stead, once it was tried')
  showExamples(login, [
    'stead login https://stead.example.com',
    'stead login http://127.0.0.1:7400 --token-file token.txt --name work --project default/default',
  ])
  login
    .option('--token-file <file>', 'read the token from there; - is standard input (env: STEAD_TOKEN)')
    .option('--name <name>', 'what to call this login (default: the host)')
    .option('-p, --project <project>', 'the project that commands are about (default: default/default)')
    .action(async (url: string | undefined, flags: LoginFlags) => {
      const { login } = await import('../commands/login.ts')
      await login(url, flags)
    })

  const contexts = program.command('contexts').description('the logins that are kept, and which is used')
  showExamples(contexts, ['stead contexts', 'stead contexts use work', 'stead contexts remove work'])
  contexts
    .argument('[verb]', 'use or remove')
    .argument('[name]')
    .option('--json', 'say it as JSON')
    .action(async (verb: string | undefined, name: string | undefined, flags: { json?: boolean }) => {
      const { contextsCommand } = await import('../commands/contexts.ts')
      contextsCommand(verb, name, flags)
    })

  define(program, {
    usage: 'whoami',
    summary: 'who you are there, and what you may',
    examples: ['stead whoami'],
    load: async () => (await import('../commands/whoami.ts')).whoami,
  })

  define(program, {
    usage: 'tokens [verb] [name]',
    summary: 'tokens, your own or of a service account: list them, `create` one or `revoke` one',
    examples: [
      'stead tokens',
      'stead tokens create --account ci --expires-in 24h',
      'stead tokens revoke <id> --account ci',
    ],
    options: [
      ['--account <account>', 'of this service account'],
      ['--expires-in <duration>', 'when a new one ends by itself (default: 90d)'],
    ],
    load: async () => (await import('../commands/tokens.ts')).tokens,
  })

  const completion = program.command('completion <shell>').description('print what makes a shell complete commands')
  showExamples(completion, [
    'stead completion bash > /etc/bash_completion.d/stead',
    "stead completion zsh > '/usr/local/share/zsh/site-functions/_stead'",
    'stead completion fish > ~/.config/fish/completions/stead.fish',
  ])
  completion.action(async (shell: string) => {
    const { completionCommand } = await import('../commands/completion.ts')
    completionCommand(program, shell)
  })
}
