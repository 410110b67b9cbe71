import type { Command } from 'commander'
import { buildProgram } from '../cli.ts'
import { examplesOf } from './define.ts'

/** docs/cli.md: every command with its flags and examples, as `--help` has them. */
export function cliPage(): string {
  return [
    '# Commands',
    '',
    'Written by `npm run docs` from the commands themselves. [First steps](first-steps.md) show them at work, [exit codes](exit-codes.md) say how they end, and `stead <command> --help` says the same as this page.',
    '',
    'Results go to standard output, everything else to standard error. In a terminal there are colours (not with `NO_COLOR`), progress, and a question before something is destroyed; in a pipe there are none, and only `--yes` is a yes. `--json` says everything as JSON.',
    '',
    'Which Stead is meant: `--url` or `STEAD_URL` with `STEAD_TOKEN`, else the context that `stead login` made, else the Stead whose data directory (`STEAD_DATA`, or `./.stead`) is here and can be read.',
    ...buildProgram().commands.flatMap(command => section(command, 'stead')),
    '',
  ].join('\n')
}

function section(command: Command, before: string): readonly string[] {
  const path = `${before} ${command.name()}`
  if (command.commands.length > 0) return command.commands.flatMap(each => section(each, path))
  const takes = command.registeredArguments.map(argument => {
    const name = argument.variadic ? `${argument.name()}...` : argument.name()
    return argument.required ? ` <${name}>` : ` [${name}]`
  })
  const options = command.options.map(
    ({ flags, description }) => `| \`${flags}\` | ${description.replaceAll('|', '\\|')} |`,
  )
  return [
    '',
    `## ${path}`,
    '',
    `\`${path}${takes.join('')}\`: ${command.description()}`,
    '',
    '```sh',
    ...examplesOf(command),
    '```',
    ...(options.length > 0 ? ['', '| flag | meaning |', '| --- | --- |', ...options] : []),
  ]
}
