import { flagOf, type Setting, type SettingName, settingNames, settings, variableOf } from './settings.ts'

/** docs/configuration.md: every setting, as what reads and checks them has it. */
export function configurationPage(): string {
  return [
    '# Configuration',
    '',
    'Written by `npm run docs` from what reads and checks the settings.',
    '',
    'Each setting of `stead serve` is a flag, a variable or a line of the YAML file that `--config` names. A flag wins over a variable, that over the file, that over the default. A relative path is meant from where it is written: from the working directory, or from the directory of the file. An empty variable is as good as none. Whatever is wrong is refused at the start, with the name of the setting and where it was set, and ends with [2](exit-codes.md).',
    '',
    '| flag | variable | in the file | default | what it is |',
    '| --- | --- | --- | --- | --- |',
    ...settingNames.map(row),
    '',
    'Listening on anything but loopback needs `--tls-cert` and `--tls-key`, or `--behind-proxy`: tokens must not cross a network in the clear because of a forgotten setting.',
    '',
    'What is secret (`database`, `sealKey`, `olderSealKeys`) is never shown in a message, and is better in the environment than on a command line, which every user of the machine can read.',
    '',
    '## A file with every default',
    '',
    '```yaml',
    ...settingNames.flatMap(name => {
      const { default: fallback }: Setting = settings[name]
      return fallback === undefined ? [] : [`${name}: ${fallback}`]
    }),
    '```',
    '',
    'The file may hold any of the settings but `config`, one `name: value` a line. A name that does not exist is refused: a typo is not a default.',
    '',
    '## Variables that commands read',
    '',
    '| variable | what it is |',
    '| --- | --- |',
    '| `STEAD_URL`, `STEAD_TOKEN` | the Stead to speak to, and the token; in place of a [login](first-steps.md#from-elsewhere) |',
    '| `STEAD_CONTEXT` | which login to use |',
    '| `STEAD_PROJECT` | the project that commands are about |',
    '| `STEAD_DATA` | the data directory of a Stead of this machine, whose token is used where there is no other |',
    '| `XDG_CONFIG_HOME` | where logins are kept: `stead/contexts.json` in it, or in `~/.config` |',
    '| `NO_COLOR`, `TERM=dumb` | no colours |',
    '| `STEAD_REVISION` | which source this was built from, said by whoever packages it; `/version` and `stead version` show it |',
    '',
  ].join('\n')
}

function row(name: SettingName): string {
  const { default: fallback = '', placeholder, help, see }: Setting = settings[name]
  const flag = placeholder === undefined ? flagOf(name) : `${flagOf(name)} <${placeholder}>`
  const inFile = name === 'config' ? '' : code(name)
  const what = [help, ...form(settings[name]), ...(see ? [`[more](${see})`] : [])].join('; ')
  return `| ${code(flag)} | ${code(variableOf(name))} | ${inFile} | ${fallback && code(fallback)} | ${what} |`
}

/** What the check itself says of a value that nobody means. Where there are a few to choose from, the help names them. */
function form({ mustBe, help }: Setting): readonly string[] {
  const expected = mustBe('\0')
  return expected === undefined || /^one of /.test(expected) || help.includes(expected) ? [] : [`must be ${expected}`]
}

const code = (text: string): string => `\`${text}\``
