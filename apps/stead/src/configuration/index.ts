export { type Configuration, loadConfiguration } from './load.ts'
export { flagOf, type Setting, type SettingName, settingNames, settings, variableOf } from './settings.ts'
export type { Flags } from './sources.ts'
