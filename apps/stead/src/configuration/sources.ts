import { flagOf, type Setting, type SettingName, settingNames, settings, variableOf } from './settings.ts'

/** A value as someone wrote it, and where. */
export interface Given {
  readonly text: string
  /** Where it was set, as a person would look for it: `--listen`, `STEAD_LISTEN`, `stead.yaml line 3`. */
  readonly origin: string
  /** What a relative path in it is relative to. */
  readonly directory: string
}

export type GivenSettings = Partial<Record<SettingName, Given>>

export type Flags = Partial<Record<SettingName, string | boolean>>

const collect = (given: (name: SettingName) => Given | undefined): GivenSettings =>
  Object.fromEntries(settingNames.flatMap(name => (given(name) ? [[name, given(name)]] : [])))

export const fromFlags = (flags: Flags, directory: string): GivenSettings =>
  collect(name =>
    flags[name] === undefined ? undefined : { text: String(flags[name]), origin: flagOf(name), directory },
  )

/** An empty variable is as good as none: it is how many tools write "not set". */
export const fromEnvironment = (env: NodeJS.ProcessEnv, directory: string): GivenSettings =>
  collect(name => {
    const text = env[variableOf(name)]
    if (text) return { text, origin: variableOf(name), directory }
    const { standard }: Setting = settings[name]
    const said = standard?.(env)
    return said && { ...said, directory }
  })
