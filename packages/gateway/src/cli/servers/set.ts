import type { Json } from 'toolwire'
import { JsonError, parseJson } from 'toolwire/relay'
import { pointerSegments } from '../../config/documents/document.js'
import { ConfigError } from '../../config/index.js'
import { isOptionOn, type RunCommand, usageProblem } from '../command.js'
import { type ConfigEditResult, configToEdit, showConfigEdit, writeConfigEdit } from './edit-config-file.js'

export const run: RunCommand = async (input, terminal) => {
  const [setting = '', word] = input.operands
  const path = ['toolwire', ...segmentsOf(setting)]
  const unset = isOptionOn(input, 'unset')
  if (unset && word !== undefined) throw usageProblem(`--unset removes ${setting}, and takes no value. Omit ${word}, or --unset`)
  if (!unset && word === undefined)
    throw usageProblem(`No value is given for ${setting}. Use toolwire set ${setting} <value>, or --unset`)
  const attempt = async (value?: Json) => {
    const file = await configToEdit(input, { create: true })
    if (value === undefined) file.remove(path)
    else file.set(path, value)
    return writeConfigEdit(file, input)
  }
  const edited = word === undefined ? await attempt() : await firstValid(word, attempt)
  showConfigEdit(edited, terminal, unset ? `${setting} is no longer set` : `${setting} is set`, { setting })
}

/** Parses `guard.rate.calls`, or `/servers/shop/tools/a.b/hidden` for a name that contains a dot. */
function segmentsOf(setting: string): string[] {
  const segments = setting.startsWith('/') ? pointerSegments(setting) : setting.split('.')
  const own = segments[0] === 'toolwire' ? segments.slice(1) : segments
  if (own.length === 0 || own.includes(''))
    throw usageProblem('The setting is not valid. Write it as guard.rate.calls, or /servers/shop/tools/a.b/hidden')
  return own
}

/** Tries a word as JSON first, then as text, so that texts need no extra quotes. */
async function firstValid(word: string, attempt: (value: Json) => Promise<ConfigEditResult>): Promise<ConfigEditResult> {
  const json = jsonIn(word)
  if (json === undefined) return attempt(word)
  try {
    return await attempt(json)
  } catch (thrown) {
    if (!(thrown instanceof ConfigError) || typeof json === 'object') throw thrown
    return attempt(word).catch(() => {
      throw thrown
    })
  }
}

function jsonIn(word: string): Json | undefined {
  try {
    return parseJson(word)
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw thrown
    if (thrown.code !== 'syntax') throw usageProblem(`The value is not accepted: ${thrown.message}`)
    return undefined // a text
  }
}
