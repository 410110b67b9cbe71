import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isMap, isScalar, LineCounter, parseDocument } from 'yaml'
import { StartError } from '../exit-codes.ts'
import { type SettingName, settingNames } from './settings.ts'
import type { Given, GivenSettings } from './sources.ts'

/** The settings in the file that a setting names. */
export function fromFile({ text: file, origin, directory }: Given): GivenSettings {
  const path = resolve(directory, file)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new StartError('usage', `the file that ${origin} names cannot be read: ${(error as Error).message}`)
  }
  return readSettings(text, file, dirname(path))
}

function readSettings(text: string, file: string, directory: string): GivenSettings {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const [problem] = document.errors
  if (problem) throw new StartError('usage', `${file} is not valid YAML: ${problem.message}`)
  if (document.contents === null) return {}
  if (!isMap(document.contents)) throw new StartError('usage', `${file} must hold settings, one "name: value" per line`)

  const given: GivenSettings = {}
  for (const { key, value } of document.contents.items) {
    const name = isScalar(key) ? String(key.value) : ''
    const origin = `${file} line ${isScalar(key) && key.range ? lines.linePos(key.range[0]).line : '?'}`
    if (!isSettable(name))
      throw new StartError('usage', `${origin}: there is no setting "${name}"; there are ${settable.join(', ')}`)
    if (!isScalar(value) || value.value === null)
      throw new StartError('usage', `${name} (set in ${origin}) must be a single value`)
    given[name] = { text: String(value.value), origin, directory }
  }
  return given
}

// A file that names another file would need an order between the two.
const settable: readonly SettingName[] = settingNames.filter(name => name !== 'config')
const isSettable = (name: string): name is SettingName => (settable as readonly string[]).includes(name)
